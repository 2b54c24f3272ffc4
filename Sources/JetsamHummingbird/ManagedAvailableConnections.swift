#if Hummingbird
    public import HummingbirdCore
    public import Jetsam
    public import NIOCore
    internal import Synchronization

    /// Bounds the open connections of a server by how short memory is: Hummingbird asks it before it accepts more.
    ///
    /// ```swift
    /// let connections = ManagedAvailableConnections(manager, maximum: 1000)
    /// let app = Application(router: router, configuration: .init(availableConnectionsDelegate: connections))
    /// try await app.runService(managedBy: manager)
    /// ```
    ///
    /// Connections beyond the bound wait in the kernel's queue, as long as `ApplicationConfiguration.backlog` says, and are accepted
    /// when others close or the level falls. Connections that are open stay open. Where a bound is reached, up to four connections
    /// may be accepted beyond it: the event loop takes so many at once before it asks.
    ///
    /// A probe needs a connection too. If probes come to the same port, leave room for them at `critical`, or a supervisor takes the
    /// process for dead.
    public struct ManagedAvailableConnections: AvailableConnectionsDelegate {
        private let manager: ResourceManager
        private let bounds: ConnectionBounds
        private let wakeUp = WakeUp()
        private var open = 0

        /// Bounds for the three levels. Once shutdown has begun and the drain delay is over, no connection is accepted at all.
        ///
        /// - Parameters:
        ///   - manager: The manager whose level counts.
        ///   - maximum: The most open connections at `normal`. At least 1; held to that.
        ///   - atWarning: The same at `warning`, 0…`maximum`; held to that. Nil, the default, is half of `maximum`.
        ///   - atCritical: The same at `critical`, 0…`atWarning`; held to that. By default none is accepted.
        public init(_ manager: ResourceManager, maximum: Int, atWarning: Int? = nil, atCritical: Int = 0) {
            self.manager = manager
            bounds = ConnectionBounds(atNormal: maximum, atWarning: atWarning, atCritical: atCritical)
        }

        /// Counts a connection.
        public mutating func connectionOpened() {
            open += 1
        }

        /// Counts a connection no more.
        public mutating func connectionClosed() {
            open -= 1
        }

        /// Returns whether the server may accept another connection now.
        public func isAcceptingNewConnections() -> Bool {
            guard manager.takesConnections else { return false }
            // Hummingbird asks again when a connection closes. With none open, and nobody to wake it, it would never ask again.
            if open == 0, !wakeUp.isSet { return true }
            return open < bounds[manager.admissionLevel]
        }

        /// Has the server ask again whenever the level changes. Hummingbird itself asks only when a connection closes.
        ///
        /// A ``ManagedApplication`` calls it. Call it in `onServerRunning` where the application is run otherwise. Without it, a server
        /// that has no open connection accepts some at every level.
        /// - Parameter channel: The channel of the server, as `onServerRunning` gets it.
        public func serverIsRunning(on channel: any Channel) {
            wakeUp.set()
            let observation = manager.observeLevel { _ in channel.read() }
            channel.closeFuture.whenComplete { _ in observation.cancel() }
        }

        /// Whether somebody has the server ask again, in every copy.
        private final class WakeUp: Sendable {
            private let word = Atomic<Bool>(false)

            var isSet: Bool { word.load(ordering: .relaxed) }

            func set() { word.store(true, ordering: .relaxed) }
        }
    }
#endif
