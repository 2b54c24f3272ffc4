import ArgumentParser
import JetsamConfiguration
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

struct CheckCommandTests {
    private static func write(_ text: String, in directory: TemporaryDirectory) throws -> String {
        let path = directory.path + "/jetsam.yaml"
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        defer { try? file.close() }
        try file.writeAll(text.utf8)
        return path
    }

    @Test(
        "A wrong command line is answered with what is allowed",
        arguments: [
            (["check"], ["A file is needed", "jetsam check FILE"]),
            (
                ["check", "--print-profile", "large"],
                ["--print-profile", "default, small-container, keep-caches", "large"]
            ),
            (["check", "a.yaml", "--print-profile", "default"], ["--print-profile takes no file"]),
        ])
    func wrongCommandLine(arguments: [String], words: [String]) {
        let error = #expect(throws: (any Error).self) { try JetsamCommand.parseAsRoot(arguments) }
        guard let error else { return }
        #expect(JetsamCommand.exitCode(for: error) == .validationFailure)
        for word in words { #expect(JetsamCommand.fullMessage(for: error).contains(word)) }
    }

    @Test("A good file ends with 0 and what it changes")
    func good() async throws {
        let directory = try TemporaryDirectory()
        let path = try Self.write("headroom: {warningPercent: 25}\nisDryRun: true\n", in: directory)
        let run = try ToolProcess(["check", path], in: directory, tool: "jetsam")
        #expect(await run.end() == .exited(0))
        #expect(
            run.output == """
                \(path) can be used: 2 settings differ from the defaults
                  headroom.warningPercent  25  (default 20)
                  isDryRun                 true  (default false)

                """)
        #expect(run.errors == "")
    }

    @Test("A bad one ends with 65 and every fault, each in a line of its own")
    func bad() async throws {
        let directory = try TemporaryDirectory()
        let path = try Self.write("headroom:\n  warningPercent: much\nisdryrun: true\n", in: directory)
        let run = try ToolProcess(["check", path], in: directory, tool: "jetsam")
        #expect(await run.end() == .exited(65))
        #expect(run.output == "")
        #expect(
            run.errors == """
                \(path):2:19: error: headroom.warningPercent is much, but must be a whole number in 2…99
                \(path):3:1: error: unknown setting isdryrun; did you mean isDryRun?

                """)
    }

    @Test("The findings as JSON are one object, with the same status")
    func json() async throws {
        let directory = try TemporaryDirectory()
        let path = try Self.write("isdryrun: true\n", in: directory)
        let run = try ToolProcess(["check", "--json", path], in: directory, tool: "jetsam")
        #expect(await run.end() == .exited(65))
        #expect(
            run.output
                == #"{"file":"\#(path)","usable":false,"problems":[{"line":1,"column":1,"key":"isdryrun","value":null,"#
                + #""message":"unknown setting isdryrun; did you mean isDryRun?","suggestion":"isDryRun"}],"warnings":[],"omitted":0,"#
                + "\"changes\":[]}\n")
    }

    @Test("What cannot be read ends with 66", arguments: ["/nowhere/at/all.yaml", "/tmp"])
    func unreadable(path: String) async throws {
        let run = try ToolProcess(["check", path], in: try TemporaryDirectory(), tool: "jetsam")
        #expect(await run.end() == .exited(66))
        #expect(run.errors.hasPrefix("\(path): error: cannot be read: "))
    }

    @Test("A FIFO is read until its writer closes it, as for check <(…) in a shell")
    func fifo() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/fifo"
        try System.check(unsafe mkfifo(path, 0o600))
        let script = "echo 'headroom: {warningPercent: 25}' > \"$0\""
        let writer = try System.spawn("/bin/sh", ["sh", "-c", script, path])
        defer {
            System.send(SIGKILL, to: writer)
            _ = System.waitForEnd(of: writer)
        }
        let run = try ToolProcess(["check", path], in: directory, tool: "jetsam")
        #expect(await run.end() == .exited(0))
        #expect(run.output.contains("headroom.warningPercent  25"))
    }

    @Test("Each profile is written as a file that the check takes", arguments: Profile.all.map(\.name))
    func profiles(name: String) async throws {
        let directory = try TemporaryDirectory()
        let written = try ToolProcess(["check", "--print-profile", name], in: directory, tool: "jetsam")
        #expect(await written.end() == .exited(0))
        let path = try Self.write(written.output, in: directory)
        let run = try ToolProcess(["check", path], in: directory, tool: "jetsam")
        #expect(await run.end() == .exited(0))
        #expect(run.output.contains(name == "default" ? "every setting is at its default" : "settings differ"))
    }
}
