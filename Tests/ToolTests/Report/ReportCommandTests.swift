import ArgumentParser
import MemoryPressure
import SystemPackage
import Testing

@testable import _StressPatterns
@testable import jetsam
@testable import jetsam_stress

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

struct ReportCommandTests {
    private let directory: TemporaryDirectory
    private var trace: String { directory.path + "/trace.jsonl" }

    init() throws {
        directory = try TemporaryDirectory()
        try System.replace(trace, with: MadeTrace.pressure().text)
    }

    private func report(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
        let process = try ToolProcess(["report"] + arguments, in: directory, tool: "jetsam")
        guard case .exited(let status) = await process.end() else { return (-1, "", "") }
        return (status, process.output, process.errors)
    }

    @Test("It writes the page over an earlier one, and to the standard output")
    func writes() async throws {
        let page = directory.path + "/page.html"
        try System.replace(page, with: String(repeating: "old", count: 1 << 18))
        let file = try await report([trace, "-o", page])
        #expect(file.status == 0 && file.output == "" && file.errors == "")
        let text = try System.text(of: page)
        #expect(text.hasPrefix("<!DOCTYPE html>") && text.hasSuffix("</html>\n"))
        let output = try await report([trace, "-o", "-"])
        #expect(output.status == 0 && output.output == text)
    }

    @Test(
        "A wrong trace is refused with the line and the reason, and no page is made",
        arguments: [
            ("{\"k\":\"trace\",\"t\":1}\n{\"k\":\"nothing\",\"t\":2}\n", "line 2: unknown kind 'nothing'"),
            ("{\"k\":\"look\",\"t\":1}\n", "line 1: a trace begins with"), ("", "there is nothing in it"),
            ("{\"k\":\"trace\",\"t\":1,\"version\":9}\n", "version 9 of the schema; 1 to 8 can be read"),
            ("{\"k\":\"trace\",\"t\":1,\"headroom.warningPercent\":0}\n", "headroom.warningPercent"),
            ("{\"k\":\"trace\",\"t\":1}\n\n{\"k\":\"trace\",\"t\":1}\n", "line 3: a second trace"),
        ])
    func wrong(text: String, message: String) async throws {
        try System.replace(trace, with: text)
        let page = directory.path + "/page.html"
        let result = try await report([trace, "-o", page])
        #expect(result.status == 65)
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(!Syscalls.exists(page))
    }

    @Test("What cannot be read ends with 66, and what cannot be written with 73; nothing but a file is written over")
    func places() async throws {
        #expect(try await report(["/nowhere/at/all", "-o", "-"]).status == 66)
        #expect(try await report([directory.path, "-o", "-"]).status == 66)
        let fifo = directory.path + "/fifo"
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        for (page, message) in [
            ("/nowhere/page.html", "No such file"), (directory.path, "no regular file"), (fifo, "no regular file"),
            ("/dev/null", "no regular file"), (trace, "itself, which is read"),
        ] {
            let result = try await report([trace, "-o", page])
            #expect(result.status == 73, "\(page)")
            #expect(result.errors.contains(message), "\(result.errors)")
        }
        #expect(try System.text(of: trace) == MadeTrace.pressure().text)
    }

    @Test("The help has every exit status")
    func help() {
        let help = JetsamCommand.helpMessage(for: ReportCommand.self)
        for status in ["0 ", "64 ", "65 ", "66 ", "73 "] { #expect(help.contains("\n  \(status)")) }
        #expect(JetsamCommand.helpMessage().contains("\n  report "))
    }
}
