#if NIO
    internal import Jetsam
    internal import Logging
    internal import NIOCore

    extension ConnectionGate {
        func open(from server: ObjectIdentifier) -> GatedConnection {
            learnLimit()
            let (connection, count) = state.withLock { state in
                let connection = state.accepting.open { GatedConnection(number: $0, server: server) }
                state.bytes.add(connection.number) { connection.send(.readOn) }
                return (connection, state.accepting.connections.count)
            }
            metrics.recordOpen(count)
            return connection
        }

        func close(_ connection: GatedConnection) {
            let (woken, ended, count) = state.withLock { state in
                let reviews = state.accepting.close(connection.number)
                let woken = reviews + state.bytes.remove(connection.number)
                let left = state.accepting.connections.values
                var ended: [CheckedContinuation<Void, Never>] = []
                if !state.waitingForEnd.isEmpty, !left.contains(where: { $0.server == connection.server }) {
                    ended = state.waitingForEnd.filter { $0.server == connection.server }.map(\.resume)
                    state.waitingForEnd.removeAll { $0.server == connection.server }
                }
                return (woken, ended, left.count)
            }
            metrics.recordOpen(count)
            for wake in woken { wake() }
            for resume in ended { resume.resume() }
        }

        func noteClosing(_ connection: GatedConnection, _ reason: ClosingReason) {
            state.withLock { $0.closed[reason, default: 0] += 1 }
            metrics.recordClosed(reason)
            manager.logger.debug(
                "Closes a connection: \(reason)",
                metadata: ["connection": "\(connection.number)", "reason": "\(reason.name)"])
        }

        func receive(_ bytes: Int, for number: Int) { state.withLock { $0.bytes.receive(bytes, for: number) } }

        func write(_ bytes: Int, for number: Int) { state.withLock { $0.bytes.write(bytes, for: number) } }

        func release(received: Int = 0, unwritten: Int = 0, for number: Int) {
            wakeAll { $0.release(received: received, unwritten: unwritten, for: number) }
        }

        func mayReadOn(_ number: Int) -> Bool { state.withLock { $0.bytes.mayReadOn(number) } }

        /// Whether connections wait for room that others take.
        var isShort: Bool { state.withLock { $0.bytes.waitingConnections > 0 } }

        /// Sends a command to the connections of a server channel.
        func tell(_ command: GatedConnection.Command, from server: ObjectIdentifier) {
            let connections = state.withLock { $0.accepting.connections.values.filter { $0.server == server } }
            for connection in connections { connection.send(command) }
        }

        /// Returns when no connection of a server channel is open.
        func waitUntilClosed(from server: ObjectIdentifier) async {
            await withCheckedContinuation { resume in
                let isEmpty = state.withLock { state in
                    let isEmpty = !state.accepting.connections.values.contains { $0.server == server }
                    if !isEmpty { state.waitingForEnd.append((server, resume)) }
                    return isEmpty
                }
                if isEmpty { resume.resume() }
            }
        }

        /// Closes the longest idle connections, while the level is critical. Returns whether it is.
        func closeIdle(now: NIODeadline) -> Bool {
            guard manager.admissionLevel == .critical else { return false }
            let limit = now - TimeAmount(settings.idleTime)
            let connections = Array(state.withLock { $0.accepting.connections.values })
            let idle = connections.compactMap { connection in
                connection.idleSince.flatMap { $0 <= limit ? (since: $0, connection: connection) : nil }
            }
            let victims = idle.sorted { $0.since < $1.since }.prefix(settings.idleClosedPerPass)
            for victim in victims { victim.connection.send(.closeIfIdle(since: victim.since)) }
            if !victims.isEmpty {
                manager.logger.info(
                    "Closes \(victims.count) of \(idle.count) idle connections: memory is critical",
                    metadata: ["open": "\(connections.count)"])
            }
            return true
        }
    }
#endif
