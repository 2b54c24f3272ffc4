import MemoryPressure
import Synchronization
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// Real threads on one registry with real time. What each does follows from the seed; how they meet does not.
@Suite(.timeLimit(.minutes(30)))
struct BackgroundTaskConcurrencyTests {
    private static let threads = 4
    private static let steps = 80

    /// What all threads of one seed share.
    private final class Meeting: Sendable {
        let registry: BackgroundTaskRegistry
        /// Identifiers that any thread may end, some of which have ended.
        let identifiers = Lock<[BackgroundTaskIdentifier]>([])
        let told = Atomic(0)
        let toldTwice = Atomic(0)
        let begun = Atomic(0)
        let refused = Atomic(0)
        let done = Gate()

        init(_ configuration: BackgroundTaskConfiguration) {
            registry = BackgroundTaskRegistry(configuration: configuration)
        }
    }

    /// One thread's part.
    private final class Part {
        let meeting: Meeting
        var random: SeededGenerator
        var handles: [Holder] = []

        final class Holder {
            var task: BackgroundTask

            init(_ task: consuming BackgroundTask) {
                self.task = task
            }
        }

        init(_ meeting: Meeting, seed: UInt64) {
            self.meeting = meeting
            random = SeededGenerator(seed: seed)
        }

        var registry: BackgroundTaskRegistry { meeting.registry }

        func run() {
            for _ in 0..<BackgroundTaskConcurrencyTests.steps { step() }
            handles.removeAll()
        }

        private func step() {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40: begin()
            case 40..<52: endOwn()
            case 52..<63: endAny()
            case 63..<68: progressAny()
            case 68..<76: extendOne()
            case 76..<79: registry.expireAll(of: scene())
            case 79..<82: registry.endAll(of: scene())
            case 82..<86: _ = registry.expireEarly(atMost: .random(in: 0...5, using: &random)).areGone
            case 86..<89: _ = registry.heldTasks(limit: 10).map(\.description)
            case 89..<92: check()
            case 92..<94: registry.noteLevel(Int.random(in: 0..<4, using: &random) == 0 ? .warning : .normal)
            case 94..<96: drain()
            case 96..<98: changeManager()
            default: registry.table.pauses.check(SystemMonotonicClock().now)
            }
        }

        /// One manager's end and the next one's beginning; other threads may be at the same.
        private func changeManager() {
            registry.detachManager()
            _ = registry.attachManager { .normal }
        }

        private func scene() -> SceneIdentifier {
            ModelledRegistry.scenes[Int.random(in: 0..<3, using: &random)]
        }

        private func begin() {
            let priority: ResourcePriority = Bool.random(using: &random) ? .low : .normal
            let micro = Int64.random(in: -500...3000, using: &random)
            let expiry: BackgroundTaskExpiry =
                Int.random(in: 0..<3, using: &random) == 0 ? .atTermination : .after(.microseconds(micro))
            let scene = Bool.random(using: &random) ? nil : scene()
            let calls = Lock(0)
            let ends = Int.random(in: 0..<4, using: &random) == 0
            let takesReason = Bool.random(using: &random)
            do throws(BackgroundTaskRefusal) {
                let handler: @Sendable () -> Void = { [meeting] in
                    // At its end: until then it may have a task in hand that nobody else would end.
                    defer { meeting.told.add(1, ordering: .releasing) }
                    let count = calls.withLock { calls in
                        calls += 1
                        return calls
                    }
                    if count > 1 { meeting.toldTwice.add(1, ordering: .relaxed) }
                    guard ends, let any = meeting.identifiers.withLock({ $0.popLast() }) else { return }
                    meeting.registry.endBackgroundTask(any)
                }
                let task: BackgroundTask
                if takesReason {
                    task = try registry.begin("task", priority: priority, expiry: expiry, scene: scene) { _, _ in
                        handler()
                    }
                } else {
                    task = try registry.begin(
                        "task", priority: priority, expiry: expiry, scene: scene, onExpiration: handler)
                }
                meeting.begun.add(1, ordering: .relaxed)
                if Bool.random(using: &random) {
                    handles.append(Holder(task))
                } else {
                    let identifier = task.intoIdentifier()
                    meeting.identifiers.withLock { $0.append(identifier) }
                }
            } catch {
                meeting.refused.add(1, ordering: .relaxed)
            }
        }

        private func endOwn() {
            guard let index = handles.indices.randomElement(using: &random) else { return }
            let holder = handles.remove(at: index)
            if Bool.random(using: &random) {
                holder.task.end()
                holder.task.end()
            }
        }

        private func endAny() {
            let number = UInt64.random(in: 0...UInt64.max, using: &random)
            let keeps = Bool.random(using: &random)
            let identifier = meeting.identifiers.withLock { all -> BackgroundTaskIdentifier? in
                guard !all.isEmpty else { return nil }
                let index = Int(number % UInt64(all.count))
                return keeps ? all[index] : all.remove(at: index)
            }
            guard let identifier else { return }
            registry.endBackgroundTask(identifier)
            #expect(registry.backgroundTimeRemaining(of: identifier) == .zero)
        }

        /// Tells progress of a task that another thread may be ending, or that has expired or ended.
        private func progressAny() {
            handles.randomElement(using: &random)?.task.progress()
            let number = UInt64.random(in: 0...UInt64.max, using: &random)
            let any = meeting.identifiers.withLock { $0.isEmpty ? nil : $0[Int(number % UInt64($0.count))] }
            guard let any else { return }
            registry.table.noteProgress(any.value)
            _ = registry.table.expiryReason(any.value)
        }

        private func extendOne() {
            guard let holder = handles.randomElement(using: &random) else { return }
            let span = Int64.random(in: 0...2000, using: &random)
            holder.task.extend(by: .microseconds(span))
            _ = holder.task.backgroundTimeRemaining
        }

        private func drain() {
            let away = Duration.microseconds(Int64.random(in: -100...5000, using: &random))
            registry.beginDraining(deadline: SystemMonotonicClock().now.advanced(by: away))
        }

        private func check() {
            let statistics = registry.statistics
            #expect(statistics.held >= 0 && statistics.overdueNow >= 0)
            #expect(statistics.ended <= statistics.begun && statistics.expired <= statistics.begun)
            #expect(registry.heldCount >= 0)
        }
    }

    @Test("Whatever threads do at once, nothing is lost, told twice or kept", arguments: seedBatches)
    func hammered(seeds: ClosedRange<UInt64>) async throws {
        for seed in seeds { try await hammer(seed) }
    }

    private func hammer(_ seed: UInt64) async throws {
        var configuration = BackgroundTaskConfiguration()
        configuration.lead = .microseconds(seed % 3 * 100)
        configuration.grace = .microseconds(seed % 5 * 400)
        configuration.overdueTasksHold = seed % 2 == 0
        let meeting = Meeting(configuration)
        let registry = meeting.registry
        let last = try registry.begin("last", priority: .high) { meeting.told.add(1, ordering: .relaxed) }
        let waiters = (0..<3).map { _ in Task { await registry.waitUntilReleased() } }
        for thread in 0..<Self.threads {
            try ServiceThread.start("hammer") {
                Part(meeting, seed: seed &* 1000 &+ UInt64(thread)).run()
                meeting.done.arrive()
            }
        }
        await meeting.done.waitForArrivals(Self.threads)
        for identifier in meeting.identifiers.withLock({ $0 }) { registry.endBackgroundTask(identifier) }
        drop(last)
        for waiter in waiters { await waiter.value }
        // A handler that was taken out before the last end may still be under way.
        while meeting.told.load(ordering: .acquiring) != registry.statistics.expired { await Task.yield() }
        let statistics = registry.statistics
        let begun = meeting.begun.load(ordering: .relaxed) + 1
        #expect(statistics.held == 0 && statistics.overdueNow == 0 && registry.heldCount == 0, "seed \(seed)")
        #expect(statistics.begun == begun && statistics.ended == begun, "seed \(seed)")
        #expect(statistics.refused == meeting.refused.load(ordering: .relaxed), "seed \(seed)")
        #expect(statistics.overdue <= begun, "seed \(seed)")
        #expect(meeting.toldTwice.load(ordering: .relaxed) == 0, "seed \(seed)")
        #expect(registry.table.takenSlots == 0, "seed \(seed): slots are kept")
        #expect(registry.heldTasks().isEmpty, "seed \(seed)")
    }

    private func drop(_ task: consuming BackgroundTask) {}
}
