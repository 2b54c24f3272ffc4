import MemoryPressure
import Synchronization
import TestSupport
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

@Suite(.timeLimit(.minutes(5)))
struct PurgeableCacheLoadingTests {
    struct Failed: Error {}

    private let cache = PurgeableCache<Int, String>(name: "test", registry: CacheRegistry())

    /// A load that answers only when it is told to.
    private final class Held: Sendable {
        let calls = Atomic(0)
        let cancellations = Atomic(0)
        private let arrivals = AsyncStream<Void>.makeStream()
        private let answers = AsyncStream<Result<String, any Error>>.makeStream()

        func load() async throws -> String {
            calls.add(1, ordering: .sequentiallyConsistent)
            arrivals.continuation.yield()
            for await answer in answers.stream { return try answer.get() }
            cancellations.add(1, ordering: .sequentiallyConsistent)
            throw CancellationError()
        }

        func waitUntilCalled() async { for await _ in arrivals.stream { return } }

        func answer(_ result: Result<String, any Error>) { answers.continuation.yield(result) }
    }

    private func ask(_ held: Held) -> Task<String, any Error> {
        Task { [cache] in try await cache.value(for: 1, cost: { $0.utf8.count }) { _ in try await held.load() } }
    }

    private func waiters(_ count: Int) async throws {
        try await eventually("\(count) wait") { [cache] in cache.flights.waiting(for: 1) == count }
    }

    @Test("Of many who ask at once one loads, and all get its value")
    func single() async throws {
        let held = Held()
        let tasks = (0..<20).map { _ in ask(held) }
        await held.waitUntilCalled()
        try await waiters(20)
        held.answer(.success("value"))
        for task in tasks { #expect(try await task.value == "value") }
        #expect(cache.statistics.loads == 1 && held.calls.load(ordering: .sequentiallyConsistent) == 1)
        #expect(cache.value(for: 1) == "value" && cache.totalCost == 5)
        #expect(try await cache.value(for: 1) { _ in "another" } == "value")
    }

    @Test("What a load throws reaches all who wait, and nothing is kept of it")
    func throwing() async throws {
        let held = Held()
        let tasks = (0..<5).map { _ in ask(held) }
        await held.waitUntilCalled()
        try await waiters(5)
        held.answer(.failure(Failed()))
        for task in tasks { await #expect(throws: Failed.self) { try await task.value } }
        #expect(cache.value(for: 1) == nil && cache.count == 0)
        #expect(try await cache.value(for: 1) { _ in "next" } == "next")
    }

    @Test("Cancelling one who waits, even the first, leaves the others their load", arguments: [0, 1, 2])
    func cancellingOne(which: Int) async throws {
        let held = Held()
        let tasks = (0..<3).map { _ in ask(held) }
        await held.waitUntilCalled()
        try await waiters(3)
        tasks[which].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[which].value }
        held.answer(.success("value"))
        for (index, task) in tasks.enumerated() where index != which { #expect(try await task.value == "value") }
        #expect(held.cancellations.load(ordering: .sequentiallyConsistent) == 0)
        #expect(cache.value(for: 1) == "value")
    }

    @Test("A key that only a load still had is let go of under no lock")
    func lastKey() async throws {
        let cache = PurgeableCache<ReferenceKey, String>(name: "test", registry: CacheRegistry())
        let wasLocked = Lock<[Bool]>([])
        let first = Gate()
        let second = Gate()
        let end = Gate()
        let begin = { @Sendable (called: Gate, isFirst: Bool) in
            Task {
                let key = ReferenceKey { [weak cache] in
                    guard let cache else { return }
                    wasLocked.withLock { $0.append(cache.flights.isLocked) }
                }
                return try await cache.value(for: key) { _ in
                    called.arrive()
                    // Whatever becomes of those who wait for it, the first one ends after the second has begun.
                    if isFirst { await second.waitForArrivals(1) } else { await end.waitForArrivals(1) }
                    return "value"
                }
            }
        }
        let one = begin(first, true)
        await first.waitForArrivals(1)
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        let other = begin(second, false)
        await second.waitForArrivals(1)
        // The first one's key is gone, unless the second's load has it.
        for _ in 0..<1000 where wasLocked.withLock({ $0.isEmpty }) { await Task.yield() }
        end.arrive()
        #expect(try await other.value == "value")
        cache.removeAll()
        try await eventually("both keys are gone") { wasLocked.withLock { $0.count } == 2 }
        #expect(wasLocked.withLock { $0 } == [false, false])
    }

    @Test("A load that nobody waits for any more is cancelled, and who comes then begins another one")
    func cancellingAll() async throws {
        let held = Held()
        let tasks = (0..<3).map { _ in ask(held) }
        await held.waitUntilCalled()
        try await waiters(3)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        try await eventually("the load is cancelled") {
            held.cancellations.load(ordering: .sequentiallyConsistent) == 1
        }
        #expect(try await cache.value(for: 1) { _ in "next" } == "next")
        #expect(cache.value(for: 1) == "next")
    }

    enum Change: CaseIterable {
        case insertion, removal, emptying
    }

    @Test("What was loaded while its key was changed is given to who waited but not kept", arguments: Change.allCases)
    func outOfDate(change: Change) async throws {
        let held = Held()
        let task = ask(held)
        await held.waitUntilCalled()
        switch change {
        case .insertion: cache.insert("newer", for: 1)
        case .removal: cache.removeValue(for: 1)
        case .emptying: cache.removeAll()
        }
        held.answer(.success("older"))
        #expect(try await task.value == "older")
        #expect(cache.value(for: 1) == (change == .insertion ? "newer" : nil))
    }

    @Test("A load may use the cache, for other keys too")
    func nested() async throws {
        let value = try await cache.value(for: 1) { [cache] key in
            let inner = try await cache.value(for: 2) { _ in "inner" }
            cache.insert("third", for: 3)
            return inner + " of \(key)"
        }
        #expect(value == "inner of 1")
        #expect(cache.value(for: 2) == "inner" && cache.value(for: 3) == "third")
    }

    @Test("Who is cancelled already neither loads nor waits")
    func cancelledBefore() async {
        let held = Held()
        let task = Task { [cache] in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await cache.value(for: 1) { _ in try await held.load() }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(held.calls.load(ordering: .sequentiallyConsistent) == 0)
    }

    @Test(
        "A load that begins while its key is put in or taken out does not undo that", arguments: [true, false])
    func beginsMeanwhile(isInsertion: Bool) async throws {
        let cache = PurgeableCache<HookedKey, String>(name: "test", registry: CacheRegistry())
        let key = HookedKey(number: 1, hook: HookedKey.Hook())
        let held = Held()
        let hasBegun = Gate()
        let hasChanged = Gate()
        let loading = Lock<Task<String, any Error>?>(nil)
        // The first who asks for the hash value is the change, which has looked for loads by then.
        key.hook.set {
            let task = Task {
                try await cache.value(for: key) { _ in
                    hasBegun.open()
                    return try await held.load()
                }
            }
            loading.withLock { $0 = task }
            hasBegun.waitUntilOpen()
        }
        try ServiceThread.start("change") {
            if isInsertion { cache.insert("new", for: key) } else { cache.removeValue(for: key) }
            hasChanged.arrive()
        }
        await hasChanged.waitForArrivals(1)
        held.answer(.success("old"))
        let task = try #require(loading.withLock { $0 })
        #expect(try await task.value == "old")
        #expect(cache.value(for: key) == (isInsertion ? "new" : nil))
    }

    @Test("A load that begins while everything is taken out does not put in what was known before")
    func beginsWhileEmptied() async throws {
        let cache = PurgeableCache<Int, EndingValue>(name: "test", registry: CacheRegistry())
        let (hasBegun, mayEnd, hasEmptied) = (Gate(), Gate(), Gate())
        let loading = Lock<Task<EndingValue, any Error>?>(nil)
        // Only the cache has it: it goes after the loads of that time were forgotten.
        cache.insert(
            EndingValue { [unowned cache] in
                let task = Task { [cache] in
                    try await cache.value(for: 1) { _ in
                        hasBegun.open()
                        await mayEnd.waitForArrivals(1)
                        return EndingValue {}
                    }
                }
                loading.withLock { $0 = task }
                hasBegun.waitUntilOpen()
            }, for: 2)
        try ServiceThread.start("change") {
            cache.removeAll()
            hasEmptied.arrive()
        }
        await hasEmptied.waitForArrivals(1)
        mayEnd.arrive()
        let task = try #require(loading.withLock { $0 })
        _ = try await task.value
        #expect(cache.value(for: 1) == nil)
    }
}

/// A value that says when the last reference to it goes.
private final class EndingValue: Sendable {
    private let atEnd: @Sendable () -> Void

    init(atEnd: @escaping @Sendable () -> Void) {
        self.atEnd = atEnd
    }

    deinit { atEnd() }
}

/// A key of which all are equal, and which says when the last reference to it goes.
private final class ReferenceKey: Hashable, Sendable {
    private let atEnd: @Sendable () -> Void

    init(atEnd: @escaping @Sendable () -> Void) {
        self.atEnd = atEnd
    }

    deinit { atEnd() }

    static func == (first: ReferenceKey, second: ReferenceKey) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
