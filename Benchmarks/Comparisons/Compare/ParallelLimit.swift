internal import Foundation
internal import Synchronization

/// What two threads that share nothing do here, against one: what a case with two threads can come to at most.
enum ParallelLimit {
    /// The most of three attempts.
    static func measure() -> Double {
        (0..<3).map { _ in attempt() }.max()!
    }

    private static func attempt() -> Double {
        let alone = ContinuousClock().measure { spin() }
        let both = ContinuousClock().measure {
            let ends = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                spin()
                ends.signal()
            }
            spin()
            ends.wait()
        }
        return 2 * (alone / both)
    }

    /// What comes of the work: without it the optimiser would leave the work out.
    private static let sum = Atomic<UInt64>(0)

    private static func spin() {
        var sum: UInt64 = 0
        for index in 0..<UInt64(200_000_000) { sum = (sum &+ index) &* 0x9E37_79B9_7F4A_7C15 }
        Self.sum.store(sum, ordering: .relaxed)
    }
}
