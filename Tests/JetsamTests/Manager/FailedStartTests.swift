import JetsamTesting
import Logging
import MemoryPressure
import SystemPackage
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import PurgeableCaches

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What is left behind by a manager that cannot begin, and by one that has ended.
@Suite(.timeLimit(.minutes(10)))
struct FailedStartTests {
    private let directory: TemporaryDirectory
    private let machine: SimulatedMachine
    private let registry = CacheRegistry()
    private let logs = LogRecord()

    init() throws {
        directory = try TemporaryDirectory()
        machine = SimulatedMachine(tree: try .v2(limit: 512 * mebibyte))
    }

    private func manager(
        _ tasks: BackgroundTaskRegistry, _ threads: any ThreadSource, hasOwnSampler: Bool
    ) throws -> ResourceManager {
        var configuration = ManagerConfiguration()
        configuration.recorder.directory = directory.path.appending("ring").string
        configuration.recorder.capacityBytes = 1 << 20
        configuration.recorder.traceFile = directory.path.appending("trace.jsonl").string
        configuration.control.isEnabled = true
        configuration.control.directory = directory.path.appending("control").string
        var environment = machine.environment
        environment.threads = threads
        if hasOwnSampler { environment.ticker = nil }
        return try ResourceManager(
            configuration: configuration, registry: registry, backgroundTasks: tasks, logger: logs.logger,
            environment: environment)
    }

    /// The files in the directory that this process has open.
    private func openFiles() throws -> [String] {
        try TemporaryDirectory.names("/proc/self/fd").compactMap { name in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe readlink("/proc/self/fd/\(name)", bytes.baseAddress!, bytes.count)
            }
            let path = count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
            return path.hasPrefix(directory.path.string) ? path : nil
        }
    }

    private func expectNothingLeft(_ threads: CountedThreads, _ isGone: @Sendable () -> Bool) async throws {
        try await eventually("every thread has ended") { threads.live.isEmpty }
        try await eventually("the manager is let go of") { isGone() }
        // What it held goes after it.
        try await eventually("every file is closed") { (try? openFiles()) == [] }
        let control = directory.path.appending("control")
        let sockets = (try? TemporaryDirectory.names(control)) ?? []
        #expect(sockets == [])
    }

    /// Makes a second manager of the same registries and runs it.
    private func expectAnotherRuns(_ tasks: BackgroundTaskRegistry) async throws {
        let threads = CountedThreads()
        let second = try manager(tasks, threads, hasOwnSampler: false)
        let running = Task { try await second.run() }
        await machine.waitUntilStarted()
        #expect(await second.releaseCaches(bytes: 0) != nil)
        running.cancel()
        try await running.value
    }

    @Test(
        "A manager that lacks a thread or a descriptor leaves nothing behind, and another one runs after it",
        arguments: [
            ("jetsam.reclaim", 1), ("jetsam.reclaim", ReclaimThreads.count), ("jetsam.steward", 1),
            ("jetsam.segments", 1), ("doorbell", 1), ("jetsam.sampler", 1),
        ])
    func lacking(_ name: String, _ number: Int) async throws {
        defer { machine.tree.remove() }
        let tasks = machine.makeBackgroundTaskRegistry()
        let threads = CountedThreads(lacking: (name, number))
        let answers = Lock(0)
        let gone = WeakManager()
        do {
            let manager = try manager(tasks, threads, hasOwnSampler: true)
            gone.set(manager)
            var changes = manager.levelChanges.makeAsyncIterator()
            var steps = manager.reclaimSteps.makeAsyncIterator()
            manager.watchResponses(of: "loop", within: .seconds(3600)) { answer in
                answers.withLock { $0 += 1 }
                answer()
            }
            let error = await #expect(throws: ResourceManagerError.self) { try await manager.run() }
            #expect(error?.isForWantOfResources == true)
            let (change, step) = (await changes.next(isolation: nil), await steps.next())
            #expect(change == nil && step == nil)
            #expect(await manager.releaseCaches(bytes: 1) == nil)
            #expect(manager.lifecycle.responders.isEmpty)
        }
        #expect(answers.withLock { $0 } == 1)
        try await expectNothingLeft(threads) { gone.isGone }
        try await expectAnotherRuns(tasks)
    }

    @Test(
        "Without a thread for the trace or for the control socket the manager runs, says so, and leaves no file of theirs",
        arguments: ["jetsam.trace", "jetsam.control"])
    func goesOn(without name: String) async throws {
        defer { machine.tree.remove() }
        let tasks = machine.makeBackgroundTaskRegistry()
        let threads = CountedThreads(lacking: (name, 1))
        let trace = directory.path.appending("trace.jsonl")
        try TemporaryDirectory.write(Array("the trace before".utf8), to: trace)
        let gone = WeakManager()
        do {
            let manager = try manager(tasks, threads, hasOwnSampler: false)
            gone.set(manager)
            let running = Task { try await manager.run() }
            await machine.waitUntilStarted()
            let names = try TemporaryDirectory.names(directory.path.appending("control"))
            #expect(names.isEmpty == (name == "jetsam.control"))
            running.cancel()
            try await running.value
        }
        let lack = name == "jetsam.trace" ? "No trace is written: " : "There is no control socket: its thread"
        #expect(logs.lines.contains { $0.level == .warning && $0.text.hasPrefix(lack) })
        let names = try TemporaryDirectory.names(directory.path)
        #expect(names.contains("trace.jsonl") == (name != "jetsam.trace"))
        let before = try TemporaryDirectory.read(directory.path.appending("trace.jsonl.previous"))
        #expect(before == Array("the trace before".utf8))
        try await expectNothingLeft(threads) { gone.isGone }
    }

    @Test("A manager that has ended is let go of, with its threads and its files")
    func ended() async throws {
        defer { machine.tree.remove() }
        let tasks = machine.makeBackgroundTaskRegistry()
        let threads = CountedThreads()
        let gone = WeakManager()
        do {
            let manager = try manager(tasks, threads, hasOwnSampler: false)
            gone.set(manager)
            let running = Task { try await manager.run() }
            await machine.waitUntilStarted()
            #expect(!gone.isGone)
            running.cancel()
            try await running.value
        }
        try await expectNothingLeft(threads) { gone.isGone }
        #expect(logs.warnings == [])
    }

    @Test("Who listens to a manager that may not run, because another one does, hears that nothing comes")
    func registryInUse() async throws {
        let fixture = try Fixture()
        try await fixture.run { fixture in
            let others = [
                try ResourceManager(
                    registry: fixture.registry, backgroundTasks: BackgroundTaskRegistry(), logger: logs.logger,
                    environment: machine.environment),
                try ResourceManager(
                    registry: CacheRegistry(), backgroundTasks: fixture.backgroundTasks, logger: logs.logger,
                    environment: machine.environment),
            ]
            for other in others {
                var changes = other.levelChanges.makeAsyncIterator()
                await #expect(throws: ResourceManagerError.registryInUse) { try await other.run() }
                let change = await changes.next(isolation: nil)
                #expect(change == nil)
            }
        }
        machine.tree.remove()
    }
}

/// Whether a manager is still there.
private final class WeakManager: Sendable {
    private struct State { weak var manager: ResourceManager? }

    private let state = Lock(State())

    func set(_ manager: ResourceManager) { state.withLock { $0.manager = manager } }

    var isGone: Bool { state.withLock { $0.manager } == nil }
}
