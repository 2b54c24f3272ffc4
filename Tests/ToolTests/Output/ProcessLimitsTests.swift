import Testing

@testable import _StressPatterns
@testable import jetsam_stress

/// What the commands do in a process that may do too little.
struct ProcessLimitsTests {
    @Test("A command ends with 71 and says why where it may open too few files")
    func files() throws {
        try expectEnd(
            under: "ulimit -n 6",
            saying: "error: 8 more files cannot be open at once: Too many open files; 'ulimit -n' is too low"
        )
    }

    @Test(
        "A command ends with 71 and says why where it may start no thread",
        .disabled(if: ToolProcess.isSanitized, "a sanitizer's shadow memory does not fit the address space"))
    func threads() throws {
        // A thread is given as much address space for its stack.
        try expectEnd(under: "ulimit -s 4000000; ulimit -v 2000000", saying: "error: no thread can be started: ")
    }

    private func expectEnd(under limit: String, saying error: String) throws {
        let directory = try TemporaryDirectory()
        let errors = directory.path + "/errors"
        for command in [ToolProcess.path(of: "jetsam") + " doctor", ToolProcess.tool + " --pattern ramp --limit 1MiB"] {
            let process = try System.spawn(
                "/bin/sh", ["sh", "-c", "\(limit); exec \(command)"], output: directory.path + "/output", errors: errors
            )
            #expect(System.waitForEnd(of: process) == .exited(71))
            #expect(try System.text(of: errors).hasPrefix(error))
            #expect(try System.text(of: directory.path + "/output").isEmpty)
        }
    }
}
