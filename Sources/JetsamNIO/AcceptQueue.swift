#if NIO || Hummingbird
    internal import Jetsam
    internal import NIOCore

    /// The open connections of all server channels, and which of these channels wait to accept another.
    ///
    /// A value: it has no lock and calls nobody.
    struct AcceptQueue {
        private struct Server {
            let channel: any Channel
            let review: @Sendable () -> Void
            var isWaiting = false
        }

        private var servers: [Int: Server] = [:]
        private(set) var connections: [Int: GatedConnection] = [:]
        private(set) var acceptedConnections = 0
        private var nextNumber = 1

        /// The server channel that was added first.
        var firstServer: Int? { servers.keys.min() }

        var firstReview: (@Sendable () -> Void)? { firstServer.flatMap { servers[$0]?.review } }

        /// Server channels that hold connections back.
        var waitingServers: Int { servers.values.count { $0.isWaiting } }

        /// Adds a server channel and gives its number.
        ///
        /// - Parameters:
        ///   - channel: The server channel.
        ///   - review: Has the channel ask again.
        mutating func add(_ channel: any Channel, review: @escaping @Sendable () -> Void) -> Int {
            defer { nextNumber += 1 }
            servers[nextNumber] = Server(channel: channel, review: review)
            return nextNumber
        }

        mutating func removeServer(_ number: Int) {
            servers[number] = nil
        }

        /// The server channels.
        var channels: [any Channel] { servers.values.map(\.channel) }

        /// Returns whether a server channel may accept. Where it may not, it reviews that when a connection closes.
        mutating func mayAccept(_ server: Int, bound: Int) -> Bool {
            let isFree = connections.count < bound
            servers[server]?.isWaiting = !isFree
            return isFree
        }

        /// Adds a connection and gives its number.
        mutating func open(_ make: (Int) -> GatedConnection) -> GatedConnection {
            defer { nextNumber += 1 }
            let connection = make(nextNumber)
            connections[nextNumber] = connection
            acceptedConnections += 1
            return connection
        }

        /// Removes a connection, and gives the reviews of the server channels that waited for that.
        mutating func close(_ number: Int) -> [@Sendable () -> Void] {
            guard connections.removeValue(forKey: number) != nil else { return [] }
            return servers.values.filter(\.isWaiting).map(\.review)
        }

        /// The reviews of all server channels.
        var reviews: [@Sendable () -> Void] { servers.values.map(\.review) }
    }
#endif
