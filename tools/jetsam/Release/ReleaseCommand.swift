internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import JetsamConfiguration
internal import MemoryPressure

/// `jetsam release`: has a process ask its caches for bytes, or make room for a limit that is about to be cut.
struct ReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Asks the caches of a process for bytes now, at any level.",
        discussion: """
            The cache with the lowest priority gives first, and within a priority the cheapest to rebuild. The command prints how \
            many bytes were promised, and how many came back.

            Use --to before you lower a container's memory limit in place. Otherwise the kernel may kill the process. Caches give \
            until the new limit would leave warning's threshold free, and do not grow until the limit is set or --hold is over. The \
            command waits for that, at most 20 s, and prints the result. Lower the limit if the exit status is 0. If unmanaged \
            memory takes too much, no cache is asked. If two commands ask, the lower number holds until the later of their times. \
            --to none lets caches grow again.

            EXIT STATUS
              0     done; with --to: there is room for the limit
              1     the process is in a dry run; with --to: there is no room, and the output says how much is missing, and why
              64    usage, or --to is more than the present limit
              69    there is no such process, it has no control socket, or it does not answer in time: then it drops
                    a request that it has not begun
              77    this user may not ask it: only the process's own user and root may

            JSON, one object on one line: sequence, stage, step, level, reason, targetBytes, promisedBytes, freedBytes (null \
            if the allocator does not report it), returnedBytes, trimmedBytes, isDisturbed, isDryRun, victimCount, \
            headroomBeforeBytes, headroomAfterBytes, durationSeconds, agoSeconds. In a dry run: targetBytes, promisedBytes, \
            returnedBytes and isDryRun alone.

            JSON with --to: limitBytes (null for --to none, without further keys), isReached, missingBytes (0 if it is reached), \
            marginBytes (the bytes that must stay free under the limit), obstacle (null, "outOfRange", "dryRun", "unmanagedMemory", \
            "caches", "time"), reason (the same in words), hardLimitBytes (the present limit), usedBeforeBytes and usedAfterBytes \
            (memory that cannot be taken back), usageBeforeBytes and usageAfterBytes (with page cache), cacheBytes (the bytes that \
            caches report at the end), heldSeconds (how long caches do not grow, or null), durationSeconds, steps, caches (name, \
            askedBytes, promisedBytes, returnedBytes, failed, missedDeadline).
            """
    )

    @OptionGroup var control: ControlOptions

    @Option(help: .init("Ask for at least this many bytes, such as 64MiB.", valueName: "amount"))
    var bytes: String?

    @Flag(help: "Empty every cache.")
    var all = false

    @Option(
        help: .init(
            "Make room for this limit, such as 300MiB. Caches do not grow until it is set. With none they may grow again.",
            valueName: "limit"))
    var to: String?

    @Option(
        help: .init(
            "How long caches do not grow after --to if the limit is not set, such as 90s or 5m, up to 24h. (default: 60s)",
            valueName: "time"))
    var hold: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    private static let none = "none"
    /// Longer than the process takes to answer at most.
    private static let patience = Duration.seconds(40)

    private var amount: Int? { bytes.flatMap { ByteCount(parsing: $0)?.bytes } }
    private var limit: Int? { to.flatMap { ByteCount(parsing: $0)?.bytes } }
    private var holdTime: Duration? { hold.flatMap { ConfigurationText.duration($0) } }

    func validate() throws {
        guard [bytes != nil, all, to != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("One of --bytes, --all and --to is needed.")
        }
        if let bytes, amount ?? 0 <= 0 {
            throw ValidationError("--bytes must be an amount above 0 such as 4096 or 64MiB, not '\(bytes)'.")
        }
        if let to, to != Self.none, limit ?? 0 <= 0 {
            throw ValidationError("--to must be a limit above 0 such as 300MiB, or none, not '\(to)'.")
        }
        guard let hold else { return }
        guard to != nil, to != Self.none else { throw ValidationError("--hold is for --to with a limit.") }
        guard let time = holdTime, time >= .milliseconds(1), time <= ControlRequest.longestHold else {
            throw ValidationError("--hold must be more than 0 and at most 24h, such as 90s or 5m, not '\(hold)'.")
        }
    }

    func run() throws {
        let status: Int32
        do throws(ControlFailure) {
            status = to == nil ? try release() : try prepare()
        } catch {
            throw error.report()
        }
        if status != 0 { throw ExitCode(status) }
    }

    private func release() throws(ControlFailure) -> Int32 {
        let step = try control.client().ask(.release(bytes: amount), for: "released", within: Self.patience)
        let isDryRun = step["isDryRun"]?.bool == true
        print(json ? step.description : Self.text(step))
        return isDryRun ? 1 : 0
    }

    private func prepare() throws(ControlFailure) -> Int32 {
        let request = ControlRequest.prepare(limitBytes: limit, holding: holdTime ?? ControlRequest.usualHold)
        let answer = try control.client().ask(request, for: "prepared", within: Self.patience)
        print(json ? answer.description : Self.text(ofPreparation: answer).joined(separator: "\n"))
        return Self.status(ofPreparation: answer)
    }

    /// As the help lists them.
    static func status(ofPreparation answer: JSONText) -> Int32 {
        if answer["limitBytes"]?.integer == nil || answer["isReached"]?.bool == true { return 0 }
        return answer["obstacle"]?.string == "outOfRange" ? ExitCode.validationFailure.rawValue : 1
    }

    /// What was reached in one line, and a line for each cache that was asked.
    static func text(ofPreparation answer: JSONText) -> [String] {
        guard answer["limitBytes"]?.integer != nil else { return ["caches are held no longer"] }
        func size(_ value: JSONText, _ key: String) -> String { ByteCount(value[key]?.integer ?? 0).description }
        let isReached = answer["isReached"]?.bool == true
        let head = isReached ? "there is room for" : "there is no room for"
        let reason = answer["reason"]?.string.map { "; \(TerminalText.clean($0))" } ?? ""
        let milliseconds = Int((min(max(0, answer["durationSeconds"]?.number ?? 0), 1e9) * 1000).rounded())
        let seconds = answer["heldSeconds"]?.number.map { Int(min(max(0, $0), 1e9).rounded()) }
        let held = seconds.map { "; caches are held for \($0) s" }
        var lines = [
            "\(head) \(size(answer, "limitBytes")): \(size(answer, "usedBeforeBytes")) before, "
                + "\(size(answer, "usedAfterBytes")) now, in \(milliseconds) ms\(reason)\(held ?? "")"
        ]
        for cache in answer["caches"]?.elements ?? [] {
            let name = TerminalText.clean(cache["name"]?.string ?? "")
            let late = cache["missedDeadline"]?.bool == true ? ", missed its deadline" : ""
            let failed = cache["failed"]?.bool == true ? ", threw" : ""
            lines.append(
                "  \(name): asked \(size(cache, "askedBytes")), promised \(size(cache, "promisedBytes")), "
                    + "returned \(size(cache, "returnedBytes"))\(late)\(failed)")
        }
        return lines
    }

    static func text(_ step: JSONText) -> String {
        if step["isDryRun"]?.bool == true { return "the process is in a dry run: no cache was asked" }
        func size(_ key: String) -> String { ByteCount(step[key]?.integer ?? 0).description }
        let freed = step["freedBytes"]?.integer.map { ", freed \(ByteCount($0))" } ?? ""
        let disturbed = step["isDisturbed"]?.bool == true ? ", disturbed: other memory grew meanwhile" : ""
        let milliseconds = Int((min(max(0, step["durationSeconds"]?.number ?? 0), 1e9) * 1000).rounded())
        return
            "asked \(size("targetBytes")), promised \(size("promisedBytes"))\(freed), returned \(size("returnedBytes"))"
            + "\(disturbed) in \(milliseconds) ms"
    }
}
