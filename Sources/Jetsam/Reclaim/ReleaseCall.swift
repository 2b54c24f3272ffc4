internal import MemoryPressure
internal import Synchronization

/// A call of the application's for bytes, for as long as somebody waits for it.
final class ReleaseCall: Sendable {
    private let revoked = Atomic<Bool>(false)

    /// Nobody waits for it any more.
    var isRevoked: Bool { revoked.load(ordering: .acquiring) }

    func revoke() {
        revoked.store(true, ordering: .releasing)
    }
}

extension Reclaimer {
    /// Asks the caches for bytes on the application's behalf; nil for all that they have.
    ///
    /// Where the task is cancelled no further cache is asked, and the answer is nil if none was.
    ///
    /// - Parameters:
    ///   - sensitiveOnly: Ask only caches with the trait ``CacheTraits/sensitive``.
    ///   - missingBytes: Bytes that are missing to a limit that was announced. Caches are then held down to what they are left with.
    @discardableResult
    func release(bytes: Int?, sensitiveOnly: Bool = false, missingBytes: Int? = nil) async -> ReclaimStep? {
        let call = ReleaseCall()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isQueued = state.withLock { state in
                    // Under the lock: a cancellation that comes from here on finds it in the queue.
                    guard !state.isStopped, !call.isRevoked else { return false }
                    state.requests.append(
                        Request(
                            bytes: bytes, sensitiveOnly: sensitiveOnly, missingBytes: missingBytes, call: call,
                            continuation: continuation))
                    return true
                }
                if isQueued { channel.wake() } else { continuation.resume(returning: nil) }
            }
        } onCancel: {
            revoke(call)
        }
    }

    private func revoke(_ call: ReleaseCall) {
        call.revoke()
        let now = clock.now
        let waiting = state.withLock { state -> Request? in
            if state.requestUnderWay?.call === call {
                state.run?.hurry(deadline: state.rules.criticalDeadline, at: now)
                if let run = state.run { recordHurry(run.number, state.rules.criticalDeadline, at: now) }
                channel.gauges.publish(state.run)
            }
            return state.requests.firstIndex { $0.call === call }.map { state.requests.remove(at: $0) }
        }
        waiting?.continuation?.resume(returning: nil)
    }
}
