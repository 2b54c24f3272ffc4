import ComparisonSupport
import Dispatch
import Synchronization

/// What the handlers of this process have seen: one for the process, as a handler captures nothing but its word.
enum Firings {
    /// Set before anything is begun, and then left alone.
    @unsafe private struct Expected {
        /// How many are awaited; 0 where none must come.
        var count = 0
        /// The deadline of each word. Where there is none, only the first and the last handler look at the clock.
        var dues: [Int64] = []
        /// How late each was.
        var lateness: UnsafeMutablePointer<Int64>?
    }

    private nonisolated(unsafe) static var expected = unsafe Expected()
    private static let count = Atomic(0)
    private static let firstInstant = Atomic<Int64>(0)
    private static let lastInstant = Atomic<Int64>(0)
    private static let done = DispatchSemaphore(value: 0)

    /// So many are to come; with `dues`, each one's lateness is kept.
    static func expect(_ count: Int, dues: [Int64] = []) {
        unsafe expected.count = count
        unsafe expected.dues = dues
        unsafe expected.lateness = dues.isEmpty ? nil : .allocate(capacity: count)
        unsafe expected.lateness?.initialize(repeating: .max, count: count)
    }

    static func record(_ word: Int) {
        let before = count.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
        if let lateness = unsafe expected.lateness {
            unsafe lateness[word] = monotonicNanoseconds() - expected.dues[word]
        } else if before == 0 {
            firstInstant.store(monotonicNanoseconds(), ordering: .relaxed)
        }
        guard unsafe before + 1 == expected.count else { return }
        lastInstant.store(monotonicNanoseconds(), ordering: .relaxed)
        done.signal()
    }

    /// Returns once all have come; ends the process where they do not.
    static func wait(until deadline: Int64) {
        guard done.wait(timeout: DispatchTime(uptimeNanoseconds: UInt64(deadline))) == .success else {
            stop(unsafe "only \(fired) of \(expected.count) handlers were called")
        }
    }

    static var fired: Int { count.load(ordering: .acquiring) }
    static var first: Int64 { firstInstant.load(ordering: .relaxed) }
    static var last: Int64 { lastInstant.load(ordering: .relaxed) }

    /// How late each was, in ascending order.
    static var sortedLateness: [Int64] {
        // The last to count may not be the last to write.
        pause(nanoseconds: 10_000_000)
        guard let lateness = unsafe expected.lateness else { return [] }
        return unsafe UnsafeBufferPointer(start: lateness, count: expected.count).sorted()
    }
}

/// What every handler does.
@inline(never)
func fired(_ word: Int) {
    Firings.record(word)
}
