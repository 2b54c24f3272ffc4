import ArgumentParser
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

@Suite struct DoctorCommandTests {
    @Test(
        "A wrong command line is answered with the option and what is allowed",
        arguments: [
            (["doctor", "--pid", "x"], ["--pid", "whole number above 0"]),
            (["doctor", "--pid", "0"], ["--pid", "whole number above 0"]),
            (["doctor", "--pid", "999999999"], ["--pid", "no process 999999999"]),
            (["doctor", "--root", "nowhere"], ["--root", "absolute path", "/proc/1/root"]),
            (["doctor", "--root", "/nowhere/at/all"], ["--root", "proc in it"]),
            (["doctor", "--jsn"], ["--jsn"]),
            (["docter"], ["docter"]),
        ]
    )
    func wrongCommandLine(arguments: [String], words: [String]) {
        let error = #expect(throws: (any Error).self) { try JetsamCommand.parseAsRoot(arguments) }
        guard let error else { return }
        #expect(JetsamCommand.exitCode(for: error) == .validationFailure)
        let message = JetsamCommand.fullMessage(for: error)
        for word in words { #expect(message.contains(word)) }
    }

    @Test("The help lists doctor, and doctor's help every exit status")
    func help() {
        #expect(JetsamCommand.helpMessage().contains("\n  doctor "))
        let doctor = JetsamCommand.helpMessage(for: DoctorCommand.self)
        for status in ["0 ", "1 ", "64 "] { #expect(doctor.contains("\n  \(status)")) }
    }

    @Test(
        "This machine can be worked with: what is there is found, and armed triggers are let go of",
        arguments: [false, true])
    func here(otherProcess: Bool) throws {
        let diagnosis = Diagnosis(of: KernelRoot(processIdentifier: otherProcess ? getppid() : nil))
        #expect(diagnosis.isUsable)
        #expect(diagnosis.kernel != nil)
        #expect(diagnosis.totalBytes ?? 0 > diagnosis.availableBytes ?? .max)
        #expect(diagnosis.process.user != nil)
        #expect(diagnosis.process.hasResourceCapability != nil)
        #expect(diagnosis.cgroup.isNamespaced != nil)
        #expect(diagnosis.sources.contains { $0.status.source == .memoryInfo && $0.status.isUsed })
        #expect(diagnosis.sources.contains { $0.status.source == .footprint && $0.status.isUsed })
        #expect(diagnosis.text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        if !otherProcess {
            #expect(diagnosis.process.allocator == "glibc" || diagnosis.process.allocator == "jemalloc")
        }
    }

    @Test("The built command says what it found, and its status is that it can work")
    func command() async throws {
        let run = try ToolProcess(["doctor", "--json"], in: try TemporaryDirectory(), tool: "jetsam")
        #expect(await run.end() == .exited(0))
        #expect(run.output.hasPrefix(#"{"usable":true,"verdict":"Jetsam can work here with: "#))
        #expect(run.output.hasSuffix("}\n"))
        #expect(run.errors.isEmpty)
    }

    @Test(
        "Inside a limit of its own it finds that limit",
        .enabled(if: ToolProcess.canLimit, "needs the right to make cgroups"))
    func limited() async throws {
        let run = try ToolProcess(
            ["run", "--limit", "96MiB", "--", ToolProcess.path(of: "jetsam"), "doctor", "--json"],
            in: try TemporaryDirectory())
        #expect(await run.end() == .exited(0))
        #expect(run.output.contains(#""limitBytes":100663296,"isLimited":true,"level":0"#))
    }
}
