internal import JetsamSystem
internal import Synchronization

/// One registered cache, as reclaim sees it.
package final class CacheClient: Sendable {
    package enum Handlers: Sendable {
        case synchronous(
            limit: @Sendable (_ bytes: Int?) throws -> Void, release: @Sendable (ReleaseRequest) throws -> Int)
        case asynchronous(
            limit: @Sendable (_ bytes: Int?) async throws -> Void,
            release: @Sendable (ReleaseRequest) async throws -> Int)
    }

    package let id: UInt64
    package let name: String
    package let priority: ResourcePriority
    package let rebuildCost: Double?
    package let traits: CacheTraits
    package let handlers: Handlers
    /// The scene that it belongs to.
    package let scene: SceneIdentifier?
    /// For a cache whose answer is exactly what it gave to the kernel: the same release for a thread that may neither wait
    /// nor allocate.
    package let lastResort: LastResort?
    /// To compare an optional closure with nil copies it, which can allocate.
    package let hasLastResort: Bool
    /// The bytes that were fetched again after releases; nil for a cache that is not ours and whose keys nobody knows.
    package let refetched: RefetchedBytes?

    /// The bytes that the cache holds; nil where only the cache itself reports them.
    package let size: Size?

    package struct Size: Sendable {
        package let bytes: @Sendable () -> Int
    }

    /// In a structure of its own: a bare closure that is looked at as an optional value is wrapped, which can allocate.
    package struct LastResort: Sendable {
        /// The client is to keep the cache alive: see ``CacheClient/borrow(_:)``.
        package typealias Release = @Sendable (_ bytes: Int, _ client: CacheClient) -> Int

        package let release: Release
    }

    private let bytes = Atomic<Int>(0)
    private let reported = Atomic<Bool>(false)
    /// The share of its bytes that is expected to come back as memory, in 1,024ths.
    private let share = Atomic<Int>(CacheClient.fullShare)
    /// The part of its bytes that is not, at the last count.
    private let hollow = Atomic<Int>(0)
    private let limit = Atomic<Int>(-1)
    private let turnsAway = Atomic<Bool>(false)
    private let busy = Atomic<Bool>(false)
    private let ended = Atomic<Bool>(false)
    private let heldDown = Atomic<Bool>(false)
    private let unbooked = Atomic<Int>(0)
    /// The cache itself, while a thread has it in hand that may not be the last to have it.
    private let borrowed = Lock<(any AnyObject & Sendable)?>(nil)
    /// Those who want to call a handler as well.
    private let waiters = Lock<[TimedWait]>([])

    package init(
        id: UInt64, name: String, priority: ResourcePriority, rebuildCost: Double?, traits: CacheTraits,
        handlers: Handlers, scene: SceneIdentifier? = nil, lastResort: LastResort? = nil,
        refetched: RefetchedBytes? = nil, size: Size? = nil
    ) {
        self.id = id
        self.name = name
        self.priority = priority
        self.rebuildCost = rebuildCost
        self.traits = traits
        self.handlers = handlers
        self.scene = scene
        self.lastResort = lastResort
        hasLastResort = lastResort != nil
        self.refetched = refetched
        self.size = size
    }

    package var reportedBytes: Int { bytes.load(ordering: .relaxed) }

    /// More bytes than this are not believed: 128 TiB, all that a process can address with 48 bits. The sizes of 65,535 caches
    /// can then be added up.
    package static let mostBytes = 1 << 47

    /// Stores a new size, held to what a process can have, and gives the change.
    package func exchange(bytes new: Int) -> Int {
        let new = max(0, min(new, Self.mostBytes))
        let old = bytes.exchange(new, ordering: .relaxed)
        if old == 0, new > 0 { reported.store(true, ordering: .relaxed) }
        return new - old
    }

    /// Indicates whether it has ever reported any bytes.
    package var hasReported: Bool { reported.load(ordering: .relaxed) }

    private static let fullShare = 1024

    /// - Parameter share: The share of its bytes that is expected to come back as memory, 0…1.
    func setExpectedShare(_ share: Double) {
        self.share.store(Int(saturating: max(0, min(1, share)) * Double(Self.fullShare)), ordering: .relaxed)
    }

    /// Indicates whether some of its bytes are not expected to come back, or were not when they were counted last.
    var isDiscounted: Bool {
        share.load(ordering: .relaxed) < Self.fullShare || hollow.load(ordering: .relaxed) != 0
    }

    /// Counts the bytes that are not expected to come back anew, and gives the change.
    func exchangeHollow() -> Int {
        let missing = Self.fullShare - share.load(ordering: .relaxed)
        let bytes = reportedBytes
        // All of it where nothing is expected: the division below would leave some.
        let new = missing == Self.fullShare ? bytes : bytes / Self.fullShare * missing
        return new - hollow.exchange(new, ordering: .relaxed)
    }

    /// The limit that was set last, in bytes; nil for none.
    package var limitBytes: Int? {
        get {
            let value = limit.load(ordering: .relaxed)
            return value < 0 ? nil : value
        }
        set { limit.store(newValue.map { max(0, $0) } ?? -1, ordering: .relaxed) }
    }

    /// Bytes that its last resort gave have yet to be written in the ledger.
    func addUnbooked(_ bytes: Int) { unbooked.wrappingAdd(bytes, ordering: .relaxed) }

    /// Bytes that have yet to be written in the ledger.
    package var unbookedBytes: Int { unbooked.load(ordering: .relaxed) }

    /// Takes bytes as written, no more of them than there are, and gives how many.
    func removeUnbooked(upTo bytes: Int) -> Int {
        var present = unbooked.load(ordering: .relaxed)
        while true {
            let taken = min(present, bytes)
            let (isDone, original) = unbooked.compareExchange(
                expected: present, desired: present - taken, ordering: .relaxed)
            if isDone { return taken }
            present = original
        }
    }

    /// Keeps the cache alive until ``giveBack()``.
    func borrow(_ cache: any AnyObject & Sendable) {
        borrowed.withLock { $0 = cache }
    }

    var isBorrowed: Bool { borrowed.withLock { $0 != nil } }

    /// Gives the cache that was kept alive, for the caller to let go of.
    package func giveBack() -> (any AnyObject & Sendable)? {
        borrowed.withLock { cache in
            defer { cache = nil }
            return cache
        }
    }

    /// Indicates whether its scene is in the background. Its limit is not raised then.
    package var isHeldDown: Bool {
        get { heldDown.load(ordering: .relaxed) }
        set { heldDown.store(newValue, ordering: .relaxed) }
    }

    /// It has given up or refused an entry for its limit.
    func noteTurnedAway() {
        // Looked at first: to write it each time would take the line from every other processor.
        if !turnsAway.load(ordering: .relaxed) { turnsAway.store(true, ordering: .relaxed) }
    }

    /// Returns whether it has given up or refused an entry for its limit since the last call.
    package func collectTurnsAway() -> Bool { turnsAway.exchange(false, ordering: .relaxed) }

    /// Takes the right to call a handler; false while an earlier call has not come back.
    package func beginCall() -> Bool {
        !ended.load(ordering: .acquiring) && !busy.exchange(true, ordering: .acquiringAndReleasing)
    }

    package func endCall() {
        busy.store(false, ordering: .releasing)
        wakeWaiters()
    }

    /// Returns when the call that is under way has come back, the cache has ended or the task is cancelled. Another call
    /// may have begun since.
    package func waitUntilFree() async {
        let wait = TimedWait()
        let isWaiting = waiters.withLock { waiters in
            // Under the lock: a call that ends from here on finds this waiter.
            guard isBusy, !hasEnded else { return false }
            waiters.append(wait)
            return true
        }
        guard isWaiting else { return }
        await withTaskCancellationHandler {
            _ = await wait.outcome()
        } onCancel: {
            wait.resolve(.abandoned)
        }
        waiters.withLock { $0.removeAll { $0 === wait } }
    }

    /// The number of tasks that wait until a handler can be called.
    package var waiting: Int { waiters.withLock { $0.count } }

    private func wakeWaiters() {
        let woken = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for wait in woken { wait.resolve(.done) }
    }

    package var isBusy: Bool { busy.load(ordering: .acquiring) }

    package var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Ends it. Returns whether this call was the first to do so.
    package func end() -> Bool {
        defer { wakeWaiters() }
        return !ended.exchange(true, ordering: .acquiringAndReleasing)
    }
}
