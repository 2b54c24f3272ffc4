internal import JetsamSystem
internal import Synchronization

/// The costs that all shards of a cache hold together, and the most that they may be.
///
/// A newcomer reserves the room first and pays for what is too much by evicting, before its value goes in. So the contents of the
/// cache are never more than its limit, not even for a moment.
@usableFromInline
final class CacheBudget: Sendable {
    /// The entries that a newcomer has to evict first.
    @usableFromInline
    struct Debt {
        /// Bytes of cost.
        @usableFromInline var cost: Int
        /// Bytes of cost and of what the entries themselves take.
        @usableFromInline var bytes: Int
        @usableFromInline
        init(cost: Int, bytes: Int) {
            self.cost = cost
            self.bytes = bytes
        }

        @usableFromInline var isOwed: Bool { cost > 0 || bytes > 0 }
    }

    /// Bytes that an entry takes beside its cost.
    @usableFromInline let overhead: Int
    private let cost = Atomic<Int>(0)
    private let entries = Atomic<Int>(0)
    /// Of cost, set by the cache's owner.
    private let costLimit: Atomic<Int>
    /// Of all bytes, set by the manager.
    private let byteLimit = Atomic<Int>(.max)
    private let loads = Atomic<Int>(0)
    /// Indicates whether anything was ever put in that expires.
    private let expires = Atomic<Bool>(false)
    private let turn = Atomic<Int>(0)

    init(limit: Int?, overhead: Int) {
        self.overhead = overhead
        costLimit = Atomic(limit.map { max(0, $0) } ?? .max)
    }

    @usableFromInline var limit: Int {
        get { costLimit.load(ordering: .relaxed) }
        set { costLimit.store(max(0, newValue), ordering: .relaxed) }
    }

    func setByteLimit(_ bytes: Int?) {
        byteLimit.store(bytes.map { max(0, $0) } ?? .max, ordering: .relaxed)
    }

    var bytes: Int {
        max(0, cost.load(ordering: .relaxed) &+ entries.load(ordering: .relaxed) &* overhead)
    }

    /// Reserves the room for one entry. The debt is never more than the entry itself: a limit below what there is frees nothing.
    @usableFromInline
    func reserve(cost new: Int) -> Debt {
        let cost = cost.wrappingAdd(new, ordering: .relaxed).newValue
        let entries = entries.add(1, ordering: .relaxed).newValue
        let byteLimit = byteLimit.load(ordering: .relaxed)
        let bytes = byteLimit == .max ? 0 : min(new + overhead, max(0, max(0, cost &+ entries &* overhead) - byteLimit))
        return Debt(cost: min(new, max(0, max(0, cost) - limit)), bytes: bytes)
    }

    /// Gives back the room of an entry that is gone.
    @usableFromInline
    func give(cost old: Int) {
        cost.wrappingSubtract(old, ordering: .relaxed)
        entries.subtract(1, ordering: .relaxed)
    }

    func give(cost old: Int, entries count: Int) {
        cost.wrappingSubtract(old, ordering: .relaxed)
        entries.subtract(count, ordering: .relaxed)
    }

    /// Gives back the room of an entry that was evicted, and pays with it.
    @usableFromInline
    func give(cost old: Int, paying debt: inout Debt) {
        give(cost: old)
        debt.cost -= old
        debt.bytes -= old + overhead
    }

    /// Returns whether so much in one of several shards is so little that the newcomer should be paid for by another shard.
    @usableFromInline
    func isPoor(cost held: Int, entries count: Int, shards: Int) -> Bool {
        let all = Double(cost.load(ordering: .relaxed)) + Double(entries.load(ordering: .relaxed))
        return Double(held + count) * Double(shards) < all * 0.75
    }

    /// The amount over the owner's limit.
    @usableFromInline var excess: Int { max(0, max(0, cost.load(ordering: .relaxed)) - limit) }

    /// Returns the place where the next round through the shards begins.
    @usableFromInline
    func nextShard() -> Int { turn.add(7, ordering: .relaxed).newValue & 0xFFFF }

    /// Returns whether anything can have expired, now that this was seen.
    @usableFromInline
    func hasExpiries(_ new: Bool) -> Bool {
        if new, !expires.load(ordering: .relaxed) { expires.store(true, ordering: .relaxed) }
        return expires.load(ordering: .relaxed)
    }

    func countLoad() { loads.add(1, ordering: .relaxed) }

    var loadCount: Int { loads.load(ordering: .relaxed) }
}
