#if NIO || Hummingbird
    internal import Jetsam

    extension ConnectionGate {
        /// The bounds of a gate. Values out of their range are held to it.
        public struct Settings: Sendable, Equatable {
            /// The most open connections at `warning`, 0 to those at `normal`. Nil, the default, is half of these. Connections beyond it
            /// wait in the kernel's queue.
            public var connectionsAtWarning: Int?
            /// The most open connections at `critical`, 0 to those at `warning`. Default 0: none is accepted.
            public var connectionsAtCritical = 0
            /// The most bytes that are held for clients, over all connections: received and not answered, written and not read. Half of
            /// it at `warning`, a quarter at `critical`. At least 64 KiB. Nil, the default, is a quarter of the container's limit.
            public var bufferedBytes: Int?
            /// The most bytes that one connection holds, received and not answered, and the same again written and not read. It should
            /// be more than the largest request. 4 KiB…1 GiB. Default 2 MiB.
            public var connectionBytes = 2 << 20
            /// How long a connection waits for room before it is closed. 1 ms…1 h. Default 10 s.
            public var waitLimit = Duration.seconds(10)
            /// How long a connection may stand still while it keeps room from others, or can never proceed, before it is closed. 1
            /// ms…1 h. Default 30 s.
            public var stallLimit = Duration.seconds(30)
            /// How long a connection without a request is quiet before it counts as idle. 1 ms…1 h. Default 1 s.
            public var idleTime = Duration.seconds(1)
            /// The most idle connections that are closed in one pass at `critical`, and a tenth of it where the gate is full. 0…10,000; 0
            /// closes none. Default 50.
            public var idleClosedPerPass = 50
            /// The time between two passes while the level stays `critical`, or the gate full. 1 ms…1 h. Default 1 s.
            public var passInterval = Duration.seconds(1)

            /// The defaults.
            public init() {}

            /// One sentence for each value that is out of its range: the value, and what it is held to.
            func changes(maximumConnections: Int) -> [String] {
                let held = bounded
                var changes: [(name: String, given: String, held: String)] = []
                func note<Value: Equatable>(_ name: String, _ given: Value, _ held: Value) {
                    if given != held { changes.append((name, "\(given)", "\(held)")) }
                }
                let bounds = ConnectionBounds(
                    atNormal: maximumConnections, atWarning: connectionsAtWarning, atCritical: connectionsAtCritical)
                note("maximumConnections", maximumConnections, bounds[.normal])
                if let connectionsAtWarning { note("connectionsAtWarning", connectionsAtWarning, bounds[.warning]) }
                note("connectionsAtCritical", connectionsAtCritical, bounds[.critical])
                if let bytes = bufferedBytes { note("bufferedBytes", bytes, max(ReceiveAllowance.least, bytes)) }
                note("connectionBytes", connectionBytes, held.connectionBytes)
                note("waitLimit", waitLimit, held.waitLimit)
                note("stallLimit", stallLimit, held.stallLimit)
                note("idleTime", idleTime, held.idleTime)
                note("idleClosedPerPass", idleClosedPerPass, held.idleClosedPerPass)
                note("passInterval", passInterval, held.passInterval)
                return changes.map { "\($0.name) is \($0.given), and is held to \($0.held)" }
            }

            var bounded: Settings {
                var settings = self
                settings.connectionBytes = max(4 << 10, min(connectionBytes, 1 << 30))
                settings.idleClosedPerPass = max(0, min(idleClosedPerPass, 10_000))
                for time in [\Settings.waitLimit, \.stallLimit, \.idleTime, \.passInterval] {
                    settings[keyPath: time] = max(.milliseconds(1), min(self[keyPath: time], .seconds(3600)))
                }
                return settings
            }
        }

        /// Counts of a gate.
        public struct Statistics: Sendable, Equatable {
            /// Connections that are open now.
            public var openConnections = 0
            /// Connections that were accepted since it was made.
            public var acceptedConnections = 0
            /// Server channels that hold connections back now.
            public var waitingServers = 0
            /// Connections that wait for room to read on now.
            public var waitingConnections = 0
            /// Received bytes that the application has not dealt with.
            public var receivedBytes = 0
            /// Written bytes that clients have not taken.
            public var unwrittenBytes = 0
            /// The most bytes that may be held now.
            public var bufferedBytesLimit = 0
            /// Connections that it has closed since it was made, by reason.
            public var closedConnections: [ClosingReason: Int] = [:]
        }
    }
#endif
