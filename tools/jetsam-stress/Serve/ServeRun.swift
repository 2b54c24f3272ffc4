internal import CLinuxShims
internal import CommandOutput
internal import Dispatch
internal import Jetsam
internal import MemoryPressure
internal import Synchronization
internal import _StressPatterns

/// A cache under traffic, for as long as was asked.
final class ServeRun: Sendable {
    struct Choices: Sendable {
        var way: ServeWay
        var budget: Int?
        var keys: Int
        var exponent: Double
        var value: ServedValue
        var threads: Int
        var fillBytes: Int
        /// Nil for until the disturbance has ended.
        var duration: Duration?
        var disturbance: StressPattern?
        /// The directory of the manager's control socket; nil for none.
        var control: String?
        var showsProgress: Bool
        /// Whether the manager says what it does as it happens.
        var logs: Bool
    }

    private let choices: Choices
    private let keys: ZipfKeys
    private let cache: any ServedCache
    private let ledger: ServeLedger
    private let clock = SystemMonotonicClock()
    private let isOver = Atomic<Bool>(false)
    private let isDisturbed = Atomic<Bool>(true)
    private let requests = Atomic<Int>(0)
    private let hits = Atomic<Int>(0)
    private let failure = Lock<StressError?>(nil)

    init(_ choices: Choices) throws {
        self.choices = choices
        keys = ZipfKeys(count: choices.keys, exponent: choices.exponent)
        cache =
            choices.way == .jetsam
            ? ManagedByteCache() : RecentlyUsedCache(keys: choices.keys, budget: choices.budget)
        ledger = try ServeLedger(keys: choices.keys, valueBytes: choices.value.bytes)
    }

    func run() throws -> ServeResult {
        let made = clock.now
        let releases = try ServeReleases(
            choices.way, cache, ledger, since: made, control: choices.control, logs: choices.logs)
        for key in 0..<min(choices.keys, choices.fillBytes / choices.value.bytes) { store(key) }
        let begin = clock.now
        let processorTime = System.processorTime
        let threads = DispatchGroup()
        try start(in: threads, look)
        for thread in 0..<choices.threads { try start(in: threads) { self.ask(thread) } }
        if let disturbance = choices.disturbance {
            // Not waited for: --duration ends a pattern that goes on.
            try System.startThread { self.disturb(disturbance) }
        }
        wait(from: begin)
        isOver.store(true, ordering: .relaxed)
        threads.wait()
        let took = begin.duration(to: clock.now)
        let spent = System.processorTime - processorTime
        let timeline = releases.finish().map { entry in
            var entry = entry
            entry.offset -= made.duration(to: begin)
            return entry
        }
        if let error = failure.withLock({ $0 }) { throw error }
        return ServeResult(
            choices: choices, elapsed: took, processorTime: spent, requests: requests.load(ordering: .relaxed),
            hits: hits.load(ordering: .relaxed), cacheBytes: cache.heldBytes, ledger: ledger.summary,
            timeline: timeline)
    }

    private func start(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) throws {
        group.enter()
        do {
            try System.startThread {
                body()
                group.leave()
            }
        } catch {
            throw StressError("a thread cannot be started: \(error)")
        }
    }

    private func store(_ key: Int) {
        cache.store(choices.value.make(key), for: key)
        ledger.store(key, at: clock.now)
    }

    /// Asks for one key after the other, and makes what is not there.
    private func ask(_ thread: Int) {
        var random = SplitMix(state: UInt64(thread) + 1)
        var sum: UInt64 = 0
        while !isOver.load(ordering: .relaxed) {
            let key = keys.next(using: &random)
            requests.wrappingAdd(1, ordering: .relaxed)
            if let word = cache.read(key) {
                hits.wrappingAdd(1, ordering: .relaxed)
                sum &+= word
            } else {
                store(key)
            }
        }
        withExtendedLifetime(sum) {}
    }

    private func look() {
        var next = clock.now
        while !isOver.load(ordering: .relaxed) {
            ledger.look(cacheBytes: cache.heldBytes)
            next = max(next.advanced(by: ServeLedger.interval), clock.now)
            System.sleep(until: next)
        }
    }

    private func disturb(_ pattern: StressPattern) {
        do { try pattern.run() } catch {
            failure.withLock { $0 = StressError("--disturb: \(error)") }
        }
        isDisturbed.store(false, ordering: .relaxed)
    }

    private func wait(from begin: MonotonicInstant) {
        var progress = ProgressReport(isOn: choices.showsProgress, from: begin)
        let end = choices.duration.map { begin.advanced(by: $0) }
        while failure.withLock({ $0 == nil }) {
            let now = clock.now
            if let end, now >= end { return }
            if end == nil, !isDisturbed.load(ordering: .relaxed) { return }
            progress.tick(at: now) { line(begin.duration(to: now)) }
            System.sleep(until: min(end ?? .init(nanoseconds: .max), now.advanced(by: .milliseconds(100))))
        }
    }

    private func line(_ elapsed: Duration) -> String {
        let of = choices.duration.map { " of \($0.shortText)" } ?? ""
        let headroom = ledger.summary.headroomBytes.map { "\(ByteCount($0))" } ?? "?"
        let counts = (requests.load(ordering: .relaxed), hits.load(ordering: .relaxed))
        return "jetsam-stress: \(elapsed.shortText)\(of): \(counts.0.counted("request", "requests")), "
            + "\(counts.1.counted("hit", "hits")), \(ByteCount(cache.heldBytes)) cached, headroom \(headroom)"
    }
}
