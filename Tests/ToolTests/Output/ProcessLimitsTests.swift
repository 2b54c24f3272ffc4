import Testing

@testable import _StressPatterns
@testable import jetsam_stress

/// What the commands do in a process that may do too little.
struct ProcessLimitsTests {
    @Test(
        "A command ends with 71 and says why where it may open too few files or start no thread",
        arguments: [
            ("ulimit -n 6", "error: 8 more files cannot be open at once: Too many open files; 'ulimit -n' is too low"),
            // A thread is given as much address space for its stack.
            ("ulimit -s 4000000; ulimit -v 2000000", "error: no thread can be started: "),
        ])
    func limited(limit: String, error: String) throws {
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
