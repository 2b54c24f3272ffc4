#if NIO || Hummingbird
    /// Why a ``ConnectionGate`` has closed a connection: in log lines and metrics, and sent through its pipeline as a user event just
    /// before.
    public struct ClosingReason: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case noRoom = "no_room"
            case tooMuch = "too_much"
            case notReading = "not_reading"
            case silent
            case idle
        }

        private let kind: Kind

        /// There was no room for more of its bytes within ``ConnectionGate/Settings/waitLimit``.
        public static let noRoom = ClosingReason(kind: .noRoom)
        /// The application has had ``ConnectionGate/Settings/connectionBytes`` of it for ``ConnectionGate/Settings/stallLimit``, and
        /// can get no more: it could never proceed.
        public static let tooMuch = ClosingReason(kind: .tooMuch)
        /// The client has read nothing for ``ConnectionGate/Settings/stallLimit`` of what was written to it, and takes room from others.
        public static let notReading = ClosingReason(kind: .notReading)
        /// Nothing has come or gone for ``ConnectionGate/Settings/stallLimit`` although bytes of it are unanswered, and others wait: for
        /// room, or to be accepted.
        public static let silent = ClosingReason(kind: .silent)
        /// It was among the longest idle connections, and the level is critical, or the gate is full and others wait to be accepted.
        public static let idle = ClosingReason(kind: .idle)

        static let all = [noRoom, tooMuch, notReading, silent, idle]

        /// A word for labels.
        public var name: String { kind.rawValue }

        /// One sentence without its full stop.
        public var description: String {
            switch kind {
            case .noRoom: "there was no room for more of its bytes in time"
            case .tooMuch: "it holds as many unanswered bytes as one connection may, and got no answer in time"
            case .notReading: "the client reads nothing of what is written to it"
            case .silent: "it has begun a request, and nothing has come of it since"
            case .idle: "it was idle for longest, and memory is critical or others wait"
            }
        }
    }
#endif
