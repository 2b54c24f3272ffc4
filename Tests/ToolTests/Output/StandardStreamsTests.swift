import Testing

@testable import _StressPatterns
@testable import jetsam_stress

/// What the commands do where what they say cannot be written.
struct StandardStreamsTests {
    /// Runs a line of the shell, in which `$1` is `jetsam` and `$2` is `jetsam-stress`.
    private func run(_ line: String, in directory: TemporaryDirectory) throws -> (
        end: System.ProcessEnd, errors: String
    ) {
        let errors = directory.path + "/errors"
        let process = try System.spawn(
            "/bin/sh",
            ["sh", "-c", "cd \(directory.path); \(line)", "sh", ToolProcess.path(of: "jetsam"), ToolProcess.tool],
            output: directory.path + "/output", errors: errors)
        return (System.waitForEnd(of: process), try System.text(of: errors))
    }

    @Test(
        "A result that cannot be written is an error, on a full disk and where the standard output is closed",
        arguments: [
            "$1 check --print-profile default", "$1 list", "$1 doctor --json", "$1 --help",
            "$2 --pattern ramp --limit 1MiB --rate 1GiB/s --duration 100ms",
        ])
    func lost(command: String) throws {
        let directory = try TemporaryDirectory()
        for redirection in [">/dev/full", ">&-"] {
            let (end, errors) = try run("\(command) \(redirection)", in: directory)
            #expect(end == .exited(73), "\(redirection)")
            #expect(errors.contains("standard output: error: cannot be written: "), "\(errors)")
        }
        let (end, errors) = try run("\(command) >/dev/null", in: directory)
        #expect(end == .exited(0), "\(errors)")
    }

    @Test(
        "The standard error is open in what a command starts, where it was closed", .enabled(if: ToolProcess.canLimit))
    func closedErrors() throws {
        let directory = try TemporaryDirectory()
        let (end, _) = try run("$2 run --limit 64MiB -- readlink /proc/self/fd/2 2>&-", in: directory)
        #expect(end == .exited(0))
        #expect(try System.text(of: directory.path + "/output").hasPrefix("/dev/null\n"))
    }

    @Test(
        "Nothing is written over what is read through the standard input, nor added to it, and no work is done for a file without a place",
        arguments: [
            (
                "$1 report - --output made <made",
                "made: error: cannot be written: it is the standard input, which is read"
            ),
            (
                "$1 replay made --output - >>made",
                "standard output: error: cannot be written: it is 'made' itself, which is read"
            ),
            ("$1 tune made --output none/found", "none/found: error: cannot be written: No such file or directory"),
        ])
    func ownInput(command: String, error: String) throws {
        let directory = try TemporaryDirectory()
        _ = try run("$2 trace made --readings 50 && cp made before", in: directory)
        let (end, errors) = try run("\(command); s=$?; cmp made before && exit $s", in: directory)
        #expect(end == .exited(73))
        #expect(errors.contains(error), "\(errors)")
    }

    @Test("A run says what is missing for the file of its report before the command begins")
    func reportWithoutPlace() throws {
        let directory = try TemporaryDirectory()
        let (end, errors) = try run(
            "$2 run --limit 64MiB --report none/file -- touch begun; s=$?; ls; exit $s", in: directory)
        #expect(end == .exited(2))
        #expect(errors.contains("--report none/file: there is no directory 'none'"), "\(errors)")
        #expect(try !System.text(of: directory.path + "/output").contains("begun"))
    }

    @Test("A run prints its outcome although its report cannot be written", .enabled(if: ToolProcess.canLimit))
    func lostReport() throws {
        let directory = try TemporaryDirectory()
        let (end, errors) = try run("$2 run --limit 64MiB --report . -- true", in: directory)
        #expect(end == .exited(2))
        #expect(errors.contains("--report . cannot be written: Is a directory"), "\(errors)")
        #expect(try System.text(of: directory.path + "/output").hasPrefix("lived: "))
    }
}
