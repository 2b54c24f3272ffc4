#if NIO || Hummingbird
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
                let isOver = state.waitingForEnd.filter { !state.isServing($0.server) }
                state.waitingForEnd.removeAll { wait in isOver.contains { $0.server == wait.server } }
                return (woken, isOver.map(\.resume), state.accepting.connections.count)
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

        /// Returns when no connection is open that the service of a server channel has to end.
        func waitUntilClosed(from server: ObjectIdentifier) async {
            await withCheckedContinuation { resume in
                let isServing = state.withLock { state in
                    let isServing = state.isServing(server)
                    if isServing { state.waitingForEnd.append((server, resume)) }
                    return isServing
                }
                if !isServing { resume.resume() }
            }
        }

        /// Closes the longest idle connections, while the level is critical, or others wait to be accepted. Then it closes a tenth as many,
        /// of those that were idle for the time of a stall. Returns whether there is still reason to.
        func closeIdle(now: NIODeadline) -> Bool {
            let isCritical = manager.admissionLevel == .critical
            guard isCritical || (isFull && !manager.isDryRun), settings.idleClosedPerPass > 0 else { return false }
            let limit = now - TimeAmount(isCritical ? settings.idleTime : settings.stallLimit)
            let most = isCritical ? settings.idleClosedPerPass : max(1, settings.idleClosedPerPass / 10)
            let connections = Array(state.withLock { $0.accepting.connections.values })
            let idle = connections.compactMap { connection in
                connection.idleSince.flatMap { $0 <= limit ? (since: $0, connection: connection) : nil }
            }
            let victims = idle.sorted { $0.since < $1.since }.prefix(most)
            for victim in victims { victim.connection.send(.closeIfIdle(since: victim.since)) }
            if !victims.isEmpty {
                let all = "\(idle.count) idle \(idle.count == 1 ? "connection" : "connections")"
                manager.logger.info(
                    "Closes \(victims.count) of \(all): \(isCritical ? "memory is critical" : "others wait")",
                    metadata: ["open": "\(connections.count)"])
            }
            return true
        }
    }
#endif
