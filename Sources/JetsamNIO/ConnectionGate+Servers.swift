#if NIO
    internal import Jetsam
    internal import NIOCore

    extension ConnectionGate {
        func addServer(_ channel: ObjectIdentifier, review: @escaping @Sendable () -> Void) -> Int {
            state.withLock { $0.accepting.add(channel, review: review) }
        }

        /// Whether the gate is in a server channel.
        func protects(_ server: any Channel) -> Bool {
            state.withLock { $0.accepting.contains(server: ObjectIdentifier(server)) }
        }

        func removeServer(_ number: Int) { state.withLock { $0.accepting.removeServer(number) } }

        /// Returns whether a server channel may accept. Where it may not, it is told to review that when it may have changed.
        func mayAccept(_ server: Int) -> Bool {
            guard manager.takesConnections else { return false }
            return state.withLock { state in
                // Looked at under the lock: whoever changes the level takes the lock after it, and finds this one waiting.
                state.accepting.mayAccept(server, bound: bounds[manager.admissionLevel])
            }
        }

        func isFirst(_ server: Int) -> Bool { state.withLock { $0.accepting.firstServer == server } }
    }
#endif
