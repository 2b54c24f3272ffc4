import MemoryPressure
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

@Suite struct ControlledProcessTests {
    @Test(
        "The number by which a process knows itself is the last of its namespaces'",
        arguments: [
            ("Name:\tserver\nNSpid:\t4711\t17\t1\nUid:\t0\n", 1), ("NSpid:\t4711\n", 4711), ("Name:\tNSpid\n", nil),
            ("NSpid:\tx\n", nil), ("", nil),
        ] as [(String, Int32?)])
    func innermost(status: String, number: Int32?) {
        #expect(ControlledProcess.innermost(Array(status.utf8)) == number)
    }

    @Test("A variable is found in an environment, and not in another's value or name")
    func variable() {
        let environment = Array("A=XDG_RUNTIME_DIR=/no\0MY_XDG_RUNTIME_DIR=/no\0XDG_RUNTIME_DIR=/run/user/7\0".utf8)
        #expect(ControlledProcess.variable("XDG_RUNTIME_DIR", environment) == "/run/user/7")
        #expect(ControlledProcess.variable("XDG", environment) == nil)
        #expect(ControlledProcess.variable("A", environment) == "XDG_RUNTIME_DIR=/no")
    }

    @Test("A process that is not there, and one without a socket, are said to be so, with the status for it")
    func absent() throws {
        let failure = #expect(throws: ControlFailure.self) { try ControlledProcess(999_999_999, directory: "/x") }
        #expect(failure == .unavailable("there is no process 999999999"))
        let own = System.processIdentifier
        let here = try ControlledProcess(Int32(own), directory: "/nowhere/at/all")
        let second = #expect(throws: ControlFailure.self) { try here.connect() }
        #expect(second?.status == 69)
        #expect(second?.description.contains("control.isEnabled") == true)
    }

    @Test("What is no socket is not connected to, and a socket that nobody listens on is said to be left behind")
    func notServed() throws {
        let directory = try TemporaryDirectory()
        let own = Int32(System.processIdentifier)
        let path = "\(directory.path)/\(own).sock"
        let target = try ControlledProcess(own, directory: directory.path)
        #expect(unsafe symlink("/nowhere", path) == 0)
        #expect(throws: ControlFailure.self) { try target.connect() }
        #expect(unsafe unlink(path) == 0)
        Syscalls.close(try Syscalls.bindStream(to: path))
        let failure = #expect(throws: ControlFailure.self) { try target.connect() }
        #expect(failure?.description.contains("left behind") == true)
        #expect(failure?.status == 69)
    }

    @Test("A socket that another process serves is not taken for the one that was asked for")
    func otherProcess() throws {
        let directory = try TemporaryDirectory()
        let parent = getppid()
        // Where the parent has other namespaces its socket has another name; that is not what is tested here.
        let target = try ControlledProcess(parent, directory: directory.path)
        let listener = try Syscalls.bindStream(to: "\(directory.path)/\(target.innerProcess).sock")
        defer { Syscalls.close(listener) }
        try Syscalls.listen(listener, backlog: 1)
        let failure = #expect(throws: ControlFailure.self) { try target.connect() }
        #expect(failure?.description.contains("is served by process \(System.processIdentifier)") == true)
    }

    @Test(
        "An answer that cannot be used is said to be so",
        arguments: [
            ("", 69, "closed the connection"), ("{", 69, "no JSON"),
            (#"{"version":2,"status":{}}"#, 69, "another version"),
            (#"{"version":1,"other":{}}"#, 69, "no 'status'"),
            (#"{"version":1,"error":{"code":"busy","message":"4 are connected"}}"#, 69, "4 are connected"),
            (
                #"{"version":1,"error":{"code":"notAllowed","message":"only \u001b[31mroot"}}"#, 77,
                "only \\u{1b}[31mroot"
            ),
        ])
    func answers(line: String, status: Int32, words: String) {
        let failure = #expect(throws: ControlFailure.self) { try ControlClient.answer(Array(line.utf8), "status") }
        #expect(failure?.status == status)
        #expect(failure?.description.contains(words) == true)
    }
}
