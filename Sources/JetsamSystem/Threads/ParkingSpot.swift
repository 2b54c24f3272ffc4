internal import CLinuxShims
internal import Dispatch

/// A counting semaphore whose signal neither allocates nor blocks: how one thread of ours wakes another.
@safe package final class ParkingSpot: Sendable {
    #if os(Linux)
        nonisolated(unsafe) private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

        package init() {
            unsafe word.initialize(to: 0)
        }

        deinit {
            unsafe word.deallocate()
        }

        package func signal() {
            unsafe jetsam_semaphore_signal(word)
        }

        /// Waits for a signal; false when the time passed without one. Nil waits for ever.
        @discardableResult
        package func wait(for timeout: Duration?) -> Bool {
            unsafe jetsam_semaphore_wait(word, timeout.map { max(0, $0.nanoseconds) } ?? -1)
        }
    #else
        private let semaphore = DispatchSemaphore(value: 0)

        package init() {}

        package func signal() {
            semaphore.signal()
        }

        @discardableResult
        package func wait(for timeout: Duration?) -> Bool {
            let deadline = timeout.map { DispatchTime.now() + .nanoseconds(Int($0.nanoseconds)) } ?? .distantFuture
            return semaphore.wait(timeout: deadline) == .success
        }
    #endif
}
