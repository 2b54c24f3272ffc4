import MemoryPressure
import Synchronization

@testable import Jetsam
@testable import PurgeableCaches

/// Counts the values that live, and does something when one goes.
final class CountedValue: Sendable {
    let number: Int
    private let count: Counter
    private let atEnd: (@Sendable () -> Void)?

    final class Counter: Sendable {
        let alive = Atomic(0)
        var now: Int { alive.load(ordering: .sequentiallyConsistent) }
    }

    init(_ number: Int, _ count: Counter, atEnd: (@Sendable () -> Void)? = nil) {
        self.number = number
        self.count = count
        self.atEnd = atEnd
        count.alive.add(1, ordering: .sequentiallyConsistent)
    }

    deinit {
        count.alive.subtract(1, ordering: .sequentiallyConsistent)
        atEnd?()
    }
}

/// A key whose hash values meet as often as it likes.
struct CollidingKey: Hashable, Sendable {
    let number: Int
    /// Keys with the same number modulo this have the same hash value.
    let distinct: Int

    func hash(into hasher: inout Hasher) {
        hasher.combine(number % distinct)
    }
}

extension PurgeableCache {
    /// The value for a key, without counting as a use.
    func peek(_ key: Key) -> Value? { table.peek(key) }

    /// What an entry takes beside its cost, in bytes.
    var overhead: Int { table.budget.overhead }
}

/// What a registry would have its first cache do.
extension CacheRegistry {
    func limitFirst(to bytes: Int?) throws {
        guard case .synchronous(let limit, _) = clients[0].handlers else { return }
        try limit(bytes)
    }

    func releaseFromFirst(_ bytes: Int) throws -> Int {
        guard case .synchronous(_, let release) = clients[0].handlers else { return 0 }
        return try release(ReleaseRequest(bytes: bytes, level: .critical, deadline: .milliseconds(100)))
    }
}

/// A key that does something the next time that somebody asks for its hash value.
struct HookedKey: Hashable, Sendable {
    final class Hook: Sendable {
        private let body = Lock<(@Sendable () -> Void)?>(nil)

        func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

        func run() {
            let body = body.withLock { body in
                defer { body = nil }
                return body
            }
            body?()
        }
    }

    let number: Int
    let hook: Hook

    static func == (first: HookedKey, second: HookedKey) -> Bool { first.number == second.number }

    func hash(into hasher: inout Hasher) {
        hook.run()
        hasher.combine(number)
    }
}
