internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

/// `jetsam release`: has a process ask its caches for bytes.
struct ReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Has a process ask its caches for bytes now, whatever the level.",
        discussion: """
            In the caches' own order: the lowest band first, then the cheapest to make again. It prints what they promised and \
            what came back.

            \(ControlOptions.exitStatus)

            JSON, one object on one line: sequence, stage, step, level, reason, targetBytes, promisedBytes, freedBytes (null \
            where the allocator cannot tell), returnedBytes, trimmedBytes, isDisturbed, victimCount, headroomBeforeBytes, \
            headroomAfterBytes, durationSeconds, agoSeconds.
            """
    )

    @OptionGroup var control: ControlOptions

    @Option(help: .init("At least so many, such as 64MiB.", valueName: "amount"))
    var bytes: String?

    @Flag(help: "Empty every cache.")
    var all = false

    @Flag(help: "What it brought as JSON.")
    var json = false

    private var amount: Int? { bytes.flatMap { ByteCount(parsing: $0)?.bytes } }

    func validate() throws {
        guard (bytes == nil) == all else { throw ValidationError("Either --bytes or --all is needed.") }
        if let bytes, amount ?? 0 <= 0 {
            throw ValidationError("--bytes must be an amount above 0 such as 4096 or 64MiB, not '\(bytes)'.")
        }
    }

    func run() throws {
        do throws(ControlFailure) {
            let step = try control.client().ask(.release(bytes: amount), for: "released", within: .seconds(40))
            print(json ? step.description : Self.text(step))
        } catch {
            throw error.report()
        }
    }

    static func text(_ step: JSONText) -> String {
        func size(_ key: String) -> String { ByteCount(step[key]?.integer ?? 0).description }
        let freed = step["freedBytes"]?.integer.map { ", freed \(ByteCount($0))" } ?? ""
        let disturbed = step["isDisturbed"]?.bool == true ? ", disturbed by what grew meanwhile" : ""
        let milliseconds = Int((min(max(0, step["durationSeconds"]?.number ?? 0), 1e9) * 1000).rounded())
        return
            "asked \(size("targetBytes")), promised \(size("promisedBytes"))\(freed), returned \(size("returnedBytes"))"
            + "\(disturbed) in \(milliseconds) ms"
    }
}
