#if NIO || Hummingbird
    internal import Jetsam
    internal import NIOCore

    extension ConnectionGate {
        func addServer(_ channel: any Channel, review: @escaping @Sendable () -> Void) -> Int {
            state.withLock { $0.accepting.add(channel, review: review) }
        }

        /// Takes a server channel for a service, which ends it and its connections; false where the gate is not in it.
        func adopt(_ server: any Channel) -> Bool {
            state.withLock { state in
                guard state.accepting.channels.contains(where: { $0 === server }) else { return false }
                state.adopted.insert(ObjectIdentifier(server))
                return true
            }
        }

        /// The service has ended. Another channel may have the identity later.
        func disown(_ server: any Channel) {
            state.withLock { _ = $0.adopted.remove(ObjectIdentifier(server)) }
        }

        /// Closes the server channel of a service, and those that no service has: nobody else would. Then their connections are told.
        func endServers(with own: any Channel, telling command: GatedConnection.Command) {
            let server = ObjectIdentifier(own)
            // It is closed also where the gate was taken out of it.
            let others = state.withLock { state in
                state.accepting.channels.filter { $0 !== own && state.belongs(ObjectIdentifier($0), to: server) }
            }
            let channels = [own] + others
            // Afterwards it accepts none that would not be told.
            for channel in channels {
                channel.close().whenComplete { [self] _ in tell(command, from: ObjectIdentifier(channel)) }
            }
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

        /// Whether server channels hold connections back.
        var isFull: Bool { state.withLock { $0.accepting.waitingServers > 0 } }

        /// Has the first server channel look whether connections are to be closed: it does so for all.
        func reviewFirst() {
            let review = state.withLock { $0.accepting.firstReview }
            review?()
        }

        func isFirst(_ server: Int) -> Bool { state.withLock { $0.accepting.firstServer == server } }
    }
#endif
