import ComparisonSupport
import Glibc
import Synchronization

/// How late another thread's allocations come while 900 MiB are given back, against the same beside a thread that spins.
enum ForeignStalls {
    private static let bytes = 900 << 20
    /// Each is a release and the control right after it. What holds a thread up in a release does so in each of them; what else wants
    /// the processors on this machine falls into some of them, and into the controls as often: the figure is the median difference.
    private static let rounds = 11
    /// An allocation falls due so often, whether the one before it was late or not: a thread that is held up is late with all
    /// that fell due meanwhile, as a server is with its requests.
    private static let spacing: Int64 = 20_000

    static func measure<S: Stock>(_ name: String, _ stock: S.Type) async -> [Reclaim.Row] {
        let held = S(bytes: bytes, sizes: 16_384...16_384)
        var differences: [Int64] = []
        for _ in 0..<rounds {
            held.fill()
            let start = monotonicNanoseconds()
            let late = whileBusy { _ = held.release(bytes: .max) }
            let duration = monotonicNanoseconds() - start
            let control = whileBusy {
                let end = monotonicNanoseconds() + duration
                while monotonicNanoseconds() < end {}
            }
            differences.append(permille999(late) - permille999(control))
        }
        let value = Double(differences.sorted()[rounds / 2]) * 1e-6
        return [Reclaim.Row(name: name, value: max(0, value), unit: "ms")]
    }

    /// How late allocations were, in nanoseconds, while `body` ran on another thread.
    private static func whileBusy(_ body: @escaping @Sendable () -> Void) -> [Int64] {
        let isDone = Counter()
        let found = Found()
        _ = onThreads(2) { number in
            if number == 0 {
                body()
                isDone.increment()
            } else {
                allocate(until: isDone, found)
            }
        }
        return found.all
    }

    private static func allocate(until isDone: Counter, _ found: Found) {
        var random = Shuffle(state: 3)
        let ring = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1024)
        unsafe ring.initialize(repeating: nil, count: 1024)
        var late: [Int64] = []
        late.reserveCapacity(1 << 20)
        var due = monotonicNanoseconds()
        while isDone.value == 0, late.count < 1 << 20 {
            due += spacing
            while monotonicNanoseconds() < due {}
            let word = random.next()
            let slot = Int(word % 1024)
            unsafe free(ring[slot])
            let block = unsafe malloc(64 + Int(word >> 32 % 4032))
            unsafe block?.storeBytes(of: 1, as: UInt8.self)
            unsafe ring[slot] = unsafe block
            late.append(monotonicNanoseconds() - due)
        }
        for slot in 0..<1024 { unsafe free(ring[slot]) }
        unsafe ring.deallocate()
        found.add(late)
    }

    private static func permille999(_ times: [Int64]) -> Int64 {
        guard times.count >= 1000 else { stop("only \(times.count) allocations were made") }
        let sorted = times.sorted()
        return sorted[sorted.count * 999 / 1000]
    }
}

/// What a thread has found, once it has ended.
@safe private final class Found: @unchecked Sendable {
    private(set) var all: [Int64] = []

    func add(_ times: [Int64]) { all = times }
}
