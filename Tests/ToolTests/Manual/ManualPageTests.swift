import CommandOutput
import JetsamTrace
import MemoryPressure
import SystemPackage
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct ManualPageTests {
    private static let path = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .removingLastComponent().removingLastComponent().appending("tools/jetsam/jetsam.1")

    private func page() async throws -> String {
        let process = try ToolProcess(["--experimental-dump-help"], in: try TemporaryDirectory(), tool: "jetsam")
        #expect(await process.end() == .exited(0))
        return try #require(ManualPage(try JSONText(parsing: Array(process.output.utf8)))).text
    }

    @Test("The manual page is that of the command as it is (tools/manual makes it anew)")
    func isCurrent() async throws {
        let made = try await page()
        if unsafe getenv("JETSAM_WRITE_MANUAL") != nil {
            let file = try FileDescriptor.open(
                Self.path, .writeOnly, options: [.create, .truncate],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try file.closeAfter { _ = try file.writeAll(made.utf8) }
        }
        let kept = String(decoding: try Syscalls.contents(of: Self.path.string), as: UTF8.self)
        #expect(kept == made, "run tools/manual")
    }

    @Test("It has every command, and no line that the formatter would take for a request of its own")
    func content() async throws {
        let text = try await page()
        for command in ["doctor", "status", "watch", "simulate", "release"] {
            #expect(text.contains("\n.SS \(command)\n"))
            #expect(text.contains("\n.B jetsam \(command)\n"))
        }
        let requests = [".\\\"", ".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".br", ".nf", ".fi"]
        for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains { line.hasPrefix($0) }, "\(line)")
        }
    }

    @Test("Completions are made for each shell", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
        let process = try ToolProcess(
            ["--generate-completion-script", shell], in: try TemporaryDirectory(), tool: "jetsam")
        #expect(await process.end() == .exited(0))
        for command in ["doctor", "watch", "simulate"] { #expect(process.output.contains(command)) }
    }
}
