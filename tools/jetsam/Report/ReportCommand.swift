internal import ArgumentParser
internal import CommandOutput
internal import JetsamTrace
internal import MemoryPressure
internal import SystemPackage

/// `jetsam report`: a trace as a page with plots.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Writes a page of HTML from a trace: plots over time, tables, and what stands out.",
        discussion: """
            The page is complete: it fetches no script, font or picture. The plots show usage and limits, headroom with the \
            thresholds, stall, the level behind each plot, purges with the bytes asked, promised, freed and returned, background \
            tasks and scenes. The tables show the changes of the level with their reasons, steps, needed and wasted bytes, caches, \
            and settings that differ from the defaults. The page works with a screen reader, and in light and dark. It has the \
            names of caches as they are in the trace. A long trace is reduced to at most \(TimeColumns.capacity) columns, which \
            keep the lowest and the highest values, in one pass and in bounded memory.

            EXIT STATUS
              0     the page was written
              64    usage
              65    the trace has a fault: the output names its line
              66    the trace cannot be read
              73    the page cannot be written
            """
    )

    @Argument(
        help: "The trace; '-' is the standard input. With --survival the table of tools/prove survival.",
        completion: .file())
    var trace: String

    @Flag(help: "Write the page from a table of survival, as 'tools/prove survival --json FILE' writes it.")
    var survival = false

    @Option(
        name: .shortAndLong,
        help: .init(
            "The page. An existing file is replaced. '-' is the standard output.",
            valueName: "file"),
        completion: .file())
    var output: String

    func run() throws {
        guard !survival else { return try writeSurvival() }
        var digest = TraceDigest()
        let isWhole = try TraceInput(path: trace).forEach { try digest.add($0, at: $1) }
        digest.finish(isCut: !isWhole)
        let name = FilePath(trace).lastComponent?.string ?? trace
        var file = OutputFile(output, madeFrom: [trace])
        try file.write(Array(ReportPage(digest, name: name).html.utf8))
        try file.finish()
    }

    private func writeSurvival() throws {
        let bytes = try wholeInput()
        let page: SurvivalPage
        do {
            page = try SurvivalPage(JSONText(parsing: bytes), name: FilePath(trace).lastComponent?.string ?? trace)
        } catch {
            StandardError.write("\(trace): error: it is no table of survival: \(error)")
            throw ExitCode(65)
        }
        var file = OutputFile(output, madeFrom: [trace])
        try file.write(Array(page.html.utf8))
        try file.finish()
    }

    private func wholeInput() throws -> [UInt8] {
        do {
            let file = trace == "-" ? FileDescriptor.standardInput : try FileDescriptor.open(FilePath(trace), .readOnly)
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try unsafe piece.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
                guard count > 0 else { break }
                bytes += piece[..<count]
            }
            if trace != "-" { try file.close() }
            return bytes
        } catch {
            StandardError.write("\(trace): error: it cannot be read: \(error)")
            throw ExitCode(66)
        }
    }
}
