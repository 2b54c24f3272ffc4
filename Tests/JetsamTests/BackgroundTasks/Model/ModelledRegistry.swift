import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// A registry on manual time beside its model: each step is done to both, and what they say is compared.
final class ModelledRegistry {
    /// Where a task's handle or identifier is.
    final class Holder {
        var handle: BackgroundTask?
        var identifier: BackgroundTaskIdentifier?

        init(handle: consuming BackgroundTask) {
            self.handle = consume handle
        }

        init(identifier: BackgroundTaskIdentifier) {
            self.identifier = identifier
        }
    }

    /// What the registry called.
    final class Record: BackgroundTaskObserver {
        struct Calls {
            var told: [String] = []
            /// What the handlers that take it were told.
            var reasons: [String: (reason: BackgroundTaskExpiry.Reason, timeLeft: Duration?)] = [:]
            var overdue: [String] = []
            var ended: Set<String> = []
            /// Whom a handler ends when it is called.
            var ends: [String: [(name: String, identifier: BackgroundTaskIdentifier)]] = [:]
            var mistakes: [String] = []
        }

        let calls = Lock(Calls())

        func taskIsOverdue(_ task: HeldBackgroundTask) {
            calls.withLock { $0.overdue.append(task.name) }
        }

        func handlerHangs(_ count: Int) {}
    }

    static let scenes = ["a", "b", "c"].map { SceneIdentifier($0)! }

    let seed: UInt64
    var random: SeededGenerator
    let clock: ManualClock
    let registry: BackgroundTaskRegistry
    let record = Record()
    var model: BackgroundTaskModel
    var holders: [String: Holder] = [:]
    var endedIdentifiers: [BackgroundTaskIdentifier] = []
    var count = 0
    let origin: Int64
    /// Advances are by up to two to the power of that many nanoseconds.
    let reach: Int64
    var waiter: (task: Task<Void, Never>, hasReturned: Flag)?
    /// Handles whose task was ended from outside.
    var bereft: [Holder] = []
    var early: (expiry: EarlyExpiry, names: [String])?

    final class Flag: Sendable {
        private let state = Lock(false)

        var isSet: Bool { state.withLock { $0 } }
        func set() { state.withLock { $0 = true } }
    }

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        var configuration = BackgroundTaskConfiguration()
        configuration.lead = .nanoseconds(max(0, .random(in: -1_000_000_000...2_000_000_000, using: &random)))
        configuration.grace = .nanoseconds(max(0, .random(in: -4_000_000_000...8_000_000_000, using: &random)))
        configuration.overdueTasksHold = .random(using: &random)
        clock = ManualClock(start: MonotonicInstant(nanoseconds: .random(in: 0...1 << 50, using: &random)))
        origin = clock.now.nanoseconds
        registry = BackgroundTaskRegistry(configuration: configuration, clock: clock, isAutomatic: false)
        registry.setObserver(record)
        // Some registries have run for years already when the first task begins.
        let years = Bool.random(using: &random) ? 59 : Int64.random(in: 0...58, using: &random)
        clock.advance(by: .nanoseconds(Int64.random(in: 0...1 << years, using: &random)))
        model = BackgroundTaskModel(configuration, now: origin)
        model.now = clock.now.nanoseconds
        reach = .random(in: 20...56, using: &random)
    }

    /// A time of any size up to two to the power of `most` nanoseconds.
    func span(_ most: Int64) -> Int64 {
        let size = Int64.random(in: 0...most, using: &random)
        return .random(in: 0...1 << size, using: &random)
    }

    /// Such a time, or one that is zero or less.
    func spanOrLess() -> Int64 { span(reach) - (Bool.random(using: &random) ? span(30) : 0) }

    func anyName() -> String? { model.entries.randomElement(using: &random)?.name }

    func step() async {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<36: begin()
        case 36..<50: endOne()
        case 50..<52: for _ in 0..<4 { progress() }
        case 52..<56: endStale()
        case 56..<62: extendOne()
        case 62..<80: advance(span(reach))
        case 80..<83: toNextDue()
        case 83..<87: sampler()
        case 87..<89: drain()
        case 89..<91: changeManager()
        case 91..<93: expireEarly()
        case 93..<95: sceneLeaves()
        case 95..<97: changeLevel()
        default: await awaitRelease()
        }
        await compare()
    }

    func begin() {
        count += 1
        let name = "t\(count)"
        let priority = [.low, .normal, .high, ResourcePriority(rawValue: .random(in: 0...255, using: &random))]
            .randomElement(using: &random)!
        let after = Int.random(in: 0..<4, using: &random) == 0 ? nil : spanOrLess()
        let expiry = after.map { BackgroundTaskExpiry.after(.nanoseconds($0)) } ?? .atTermination
        let scene: Int? = Bool.random(using: &random) ? nil : .random(in: 0..<3, using: &random)
        let handler: @Sendable () -> Void = { [record, registry] in
            let ends = record.calls.withLock { calls in
                if calls.ended.contains(name) { calls.mistakes.append("\(name) was called after its end") }
                calls.told.append(name)
                return calls.ends[name] ?? []
            }
            for other in ends {
                registry.endBackgroundTask(other.identifier)
                record.calls.withLock { _ = $0.ended.insert(other.name) }
            }
        }
        let takesReason = Bool.random(using: &random)
        let mayBegin = model.begin(name, priority, after: after, scene: scene)
        #expect(registry.mayBegin(priority: priority) == mayBegin, "seed \(seed)")
        do throws(BackgroundTaskRefusal) {
            let handle: BackgroundTask
            if takesReason {
                handle = try registry.begin(
                    BackgroundTaskName(name), priority: priority, expiry: expiry,
                    scene: scene.map { Self.scenes[$0] },
                    onExpiration: { [record] reason, timeLeft in
                        record.calls.withLock { $0.reasons[name] = (reason, timeLeft) }
                        handler()
                    })
            } else {
                handle = try registry.begin(
                    BackgroundTaskName(name), priority: priority, expiry: expiry,
                    scene: scene.map { Self.scenes[$0] }, onExpiration: handler)
            }
            #expect(mayBegin, "seed \(seed): \(name) was to be refused")
            if Bool.random(using: &random) {
                holders[name] = Holder(handle: handle)
            } else {
                let identifier = handle.intoIdentifier()
                holders[name] = Holder(identifier: identifier)
                script(name, identifier)
            }
        } catch {
            #expect(!mayBegin, "seed \(seed): \(name) was refused: \(error)")
            #expect(error.minimumPriority?.rawValue == model.minimumPriority, "seed \(seed)")
        }
    }

    /// Some handlers end their task, as they should, and some another's.
    func script(_ name: String, _ identifier: BackgroundTaskIdentifier) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<2: record.calls.withLock { $0.ends[name, default: []].append((name, identifier)) }
        case 2:
            guard let other = anyName() else { return }
            record.calls.withLock { $0.ends[other, default: []].append((name, identifier)) }
        default: break
        }
    }

    func endOne() {
        guard let name = anyName(), let holder = holders[name] else { return }
        model.end(name)
        record.calls.withLock { _ = $0.ended.insert(name) }
        if let identifier = holder.identifier {
            registry.endBackgroundTask(identifier)
        } else if Bool.random(using: &random) {
            holder.handle?.end()
            holder.handle?.end()
            #expect(holder.handle?.extend(by: .seconds(1)) == false, "seed \(seed)")
        }
        letGo(name)
    }

    /// What had the task goes; a handle ends its task with that.
    func letGo(_ name: String) {
        guard let holder = holders.removeValue(forKey: name) else { return }
        if let identifier = holder.identifier { endedIdentifiers.append(identifier) }
    }

    func endStale() {
        guard let identifier = endedIdentifiers.randomElement(using: &random) else { return }
        registry.endBackgroundTask(identifier)
        #expect(registry.backgroundTimeRemaining(of: identifier) == .zero, "seed \(seed)")
    }

    func extendOne() {
        guard let name = anyName(), let holder = holders[name] else { return }
        let nanoseconds = spanOrLess()
        if let identifier = holder.identifier {
            let has = registry.table.extend(identifier.value, by: nanoseconds)
            #expect(has == model.extend(name, by: nanoseconds), "seed \(seed): extension of \(name)")
        } else {
            let has = holder.handle?.extend(by: .nanoseconds(nanoseconds))
            #expect(has == model.extend(name, by: nanoseconds), "seed \(seed): extension of \(name)")
        }
    }

    func advance(_ nanoseconds: Int64) {
        clock.advance(by: .nanoseconds(nanoseconds))
        model.now = clock.now.nanoseconds
        // Sometimes the thread that looks comes late.
        if Int.random(in: 0..<8, using: &random) > 0 { runDue() }
    }

    /// Sleeps as the thread does: to the next deadline, and again.
    func toNextDue() {
        for _ in 0..<10 {
            guard let next = registry.nextDue, next.nanoseconds - model.now < 1 << reach else { return }
            clock.advance(to: next)
            model.now = clock.now.nanoseconds
            runDue()
        }
    }
}
