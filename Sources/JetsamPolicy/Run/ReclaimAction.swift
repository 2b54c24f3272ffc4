internal import MemoryPressure
package import PurgeableCaches

extension ReclaimRun {
    package enum Kind: Equatable {
        /// Answers a demand and is recorded.
        case step
        /// Raises or lifts limits; nothing is released or recorded.
        case regrowth
    }

    package enum Action {
        /// Somebody else is at work, or answers are awaited.
        case wait
        case trim
        /// Set a limit; nil lifts it.
        case limit(CallID, client: UInt64, bytes: Int?)
        case release(CallID, client: UInt64, request: ReleaseRequest)
        /// Have caches that own their memory give so many bytes without their handlers: no thread is left to call these.
        case releaseSegments(bytes: Int)
        /// Start the asynchronous part of a client: its limit, then its release where it asks for bytes.
        case start(CallID, client: UInt64, limit: LimitChange, request: ReleaseRequest?)
        /// Read again and record.
        case measure
    }

    package struct Outcome: Equatable {
        package var call: CallID?
        package var client: UInt64
        package var isRelease: Bool
        package var answer: LedgerEntry.Answer
        /// The error that the handler threw, as text; nil where it did not throw.
        package var error: String?
        /// The time when the call began; nil where there was none.
        package var start: MonotonicInstant?
    }
}
