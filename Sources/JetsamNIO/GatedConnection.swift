#if NIO || Hummingbird
    internal import Jetsam
    internal import NIOCore
    internal import Synchronization

    /// A connection as other threads see it: how long it has been quiet, and the way to its handler.
    final class GatedConnection: Sendable {
        /// What a connection is told from outside of its event loop.
        enum Command: Sendable {
            /// There may be room to read on.
            case readOn
            /// Close if nothing has come or gone since.
            case closeIfIdle(since: NIODeadline)
            /// Close when nothing is under way any more.
            case quiesce
            /// Close at once.
            case close
        }

        let number: Int
        /// The server channel that has accepted it.
        let server: ObjectIdentifier
        private let lastActive = Atomic<Int64>(0)
        private let isBusy = Atomic<Bool>(false)
        private let way = Lock(Way.later([]))

        private enum Way {
            /// There is no handler yet. It gets these when there is.
            case later([Command])
            case now(@Sendable (Command) -> Void)
            /// The handler is gone.
            case nowhere
        }

        init(number: Int, server: ObjectIdentifier) {
            self.number = number
            self.server = server
        }

        /// Sends commands there from now on.
        func attach(_ obey: @escaping @Sendable (Command) -> Void) {
            let before: [Command] = way.withLock { way in
                defer { way = .now(obey) }
                return if case .later(let commands) = way { commands } else { [] }
            }
            for command in before { obey(command) }
        }

        func detach() {
            // What is let go of may be the last reference to the channel.
            let last = way.withLock { way in
                defer { way = .nowhere }
                return way
            }
            withExtendedLifetime(last) {}
        }

        func send(_ command: Command) {
            let obey: (@Sendable (Command) -> Void)? = way.withLock { way in
                switch way {
                case .later(let commands):
                    way = .later(commands + [command])
                    return nil
                case .now(let obey): return obey
                case .nowhere: return nil
                }
            }
            obey?(command)
        }

        func note(activeAt instant: NIODeadline, isBusy: Bool) {
            lastActive.store(Int64(instant.uptimeNanoseconds), ordering: .relaxed)
            self.isBusy.store(isBusy, ordering: .relaxed)
        }

        /// When it was active last; nil while something is under way or it has no handler yet.
        var idleSince: NIODeadline? {
            let nanoseconds = lastActive.load(ordering: .relaxed)
            guard nanoseconds > 0, !isBusy.load(ordering: .relaxed) else { return nil }
            return .uptimeNanoseconds(UInt64(nanoseconds))
        }
    }
#endif
