#if os(Linux)
    public import Foundation

    extension NotificationCenter {
        /// Returns the notifications of a name, from when iteration begins. Foundation on Linux lacks it.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - object: The object that they have to be about; nil for any.
        public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
            Notifications(center: self, name: name, object: object)
        }

        /// The notifications of a name, in their order. Each iteration keeps the newest 256 that it has not taken yet.
        public final class Notifications: AsyncSequence, @unchecked Sendable {
            private let center: NotificationCenter
            private let name: Notification.Name
            private let object: AnyObject?

            init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
                self.center = center
                self.name = name
                self.object = object
            }

            /// Begins to listen.
            public func makeAsyncIterator() -> Iterator {
                let (stream, continuation) = AsyncStream.makeStream(
                    of: Posted.self, bufferingPolicy: .bufferingNewest(256))
                let token = center.addObserver(forName: name, object: object, queue: nil) {
                    continuation.yield(Posted(notification: $0))
                }
                let observation = Observation(center: center, token: token)
                continuation.onTermination = { _ in observation.end() }
                return Iterator(base: stream.makeAsyncIterator())
            }

            /// An iteration: it listens until it is over, or its task is cancelled.
            public struct Iterator: AsyncIteratorProtocol {
                fileprivate var base: AsyncStream<Posted>.AsyncIterator

                /// The next notification; nil where the task is cancelled.
                public mutating func next() async -> Notification? {
                    await next(isolation: nil)
                }

                /// The next notification; nil where the task is cancelled.
                public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
                    await base.next(isolation: actor)?.notification
                }
            }
        }
    }

    /// A notification on its way from whoever posts it to whoever iterates, who share what is in it, as everybody does who observes.
    private struct Posted: @unchecked Sendable {
        let notification: Notification
    }

    /// A place among the observers.
    private struct Observation: @unchecked Sendable {
        let center: NotificationCenter
        let token: any NSObjectProtocol

        func end() {
            center.removeObserver(token)
        }
    }
#endif
