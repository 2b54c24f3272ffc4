/// Hands each element to every subscriber that there is, in order; a slow one loses its oldest.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var subscribers: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var nextID: UInt64 = 0
        var hasFinished = false
    }

    private let state = Lock(State())
    private let capacity: Int

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package func subscribe() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(capacity))
        let id = state.withLock { state -> UInt64? in
            guard !state.hasFinished else { return nil }
            state.nextID += 1
            state.subscribers[state.nextID] = continuation
            return state.nextID
        }
        if let id {
            continuation.onTermination = { _ in
                let ended = self.state.withLock { $0.subscribers.removeValue(forKey: id) }
                _ = ended
            }
        } else {
            continuation.finish()
        }
        return stream
    }

    package func send(_ element: Element) {
        // Resuming a consumer can run code of its executor: never under the lock.
        let subscribers = state.withLock { Array($0.subscribers.values) }
        for subscriber in subscribers { subscriber.yield(element) }
    }

    package func finish() {
        let subscribers = state.withLock { state in
            state.hasFinished = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}
