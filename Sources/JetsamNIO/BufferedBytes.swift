#if NIO || Hummingbird
    internal import DequeModule
    internal import Jetsam

    /// The bytes that a server holds for its clients, over all connections, and which connection may read on.
    ///
    /// How much a client will send is not known before. A connection therefore receives its first bytes as they come. For more it
    /// needs a grant of as many bytes as one connection may hold, which it keeps until the application has nothing of it any more.
    /// So whoever has a grant can receive all that it may, and connections never wait for what each other has received in part.
    /// First bytes take no more than half of the budget, or no room would be left for grants.
    ///
    /// A value: it has no lock and calls nobody. Its mutators return who is to be woken.
    struct BufferedBytes {
        /// Tells a connection that it may read on.
        typealias Wake = @Sendable () -> Void

        private struct Connection {
            var wake: Wake
            var received = 0
            var unwritten = 0
            var hasGrant = false
            var isWaiting = false
        }

        /// The bytes that a connection may receive before it needs a grant.
        static let first = 16 << 10

        /// The most bytes that may be held. One grant is always given.
        private(set) var budget: Int
        /// The bytes of one grant.
        let grant: Int
        /// What was received and the application has not dealt with.
        private(set) var received = 0
        /// What the application has written and the clients have not read.
        private(set) var unwritten = 0
        /// Connections that wait for a grant.
        private(set) var waitingConnections = 0
        private var grants = 0
        /// What those with a grant have received.
        private var granted = 0
        private var connections: [Int: Connection] = [:]
        /// The oldest first. Those that wait no longer are passed over.
        private var waiting = Deque<Int>()

        init(budget: Int, grant: Int) {
            self.budget = budget
            self.grant = grant
        }

        mutating func add(_ number: Int, wake: @escaping Wake) {
            connections[number] = Connection(wake: wake)
        }

        /// Removes a connection with everything that is held for it.
        mutating func remove(_ number: Int) -> [Wake] {
            guard let connection = connections[number] else { return [] }
            stopWaiting(number)
            settle(number, received: connection.received, unwritten: connection.unwritten)
            connections[number] = nil
            return wakeThoseThatFit()
        }

        /// Bytes have come.
        mutating func receive(_ bytes: Int, for number: Int) {
            guard let connection = connections[number] else { return }
            connections[number]?.received += bytes
            received += bytes
            if connection.hasGrant { granted += bytes }
        }

        /// The application has written bytes.
        mutating func write(_ bytes: Int, for number: Int) {
            guard connections[number] != nil else { return }
            connections[number]?.unwritten += bytes
            unwritten += bytes
        }

        /// The application has dealt with received bytes, or the client has read written ones.
        mutating func release(received: Int = 0, unwritten: Int = 0, for number: Int) -> [Wake] {
            settle(number, received: received, unwritten: unwritten)
            return wakeThoseThatFit()
        }

        /// Returns whether a connection may read on. Where it may not, it is woken when it may.
        mutating func mayReadOn(_ number: Int) -> Bool {
            guard let connection = connections[number], !connection.hasGrant else { return true }
            if connection.received == 0 || fitsLoose(connection.received) {
                stopWaiting(number)
                return true
            }
            if !connection.isWaiting {
                if waitingConnections == 0, fitsGrant {
                    give(to: number)
                    return true
                }
                connections[number]?.isWaiting = true
                waitingConnections += 1
                waiting.append(number)
            }
            return false
        }

        mutating func setBudget(_ bytes: Int) -> [Wake] {
            budget = bytes
            return wakeThoseThatFit()
        }

        /// What is held outside of grants.
        private var loose: Int { received - granted + unwritten }

        private func fitsLoose(_ bytes: Int) -> Bool {
            bytes < min(Self.first, grant) && loose < budget / 2 && grants * grant + loose < budget
        }

        private var fitsGrant: Bool { grants == 0 || (grants + 1) * grant + loose <= budget }

        private mutating func give(to number: Int) {
            guard let connection = connections[number] else { return }
            connections[number]?.hasGrant = true
            grants += 1
            granted += connection.received
        }

        private mutating func settle(_ number: Int, received: Int, unwritten: Int) {
            guard var connection = connections[number] else { return }
            let dealt = min(received, connection.received)
            let written = min(unwritten, connection.unwritten)
            connection.received -= dealt
            connection.unwritten -= written
            self.received -= dealt
            self.unwritten -= written
            if connection.hasGrant {
                granted -= dealt
                if connection.received == 0 {
                    connection.hasGrant = false
                    grants -= 1
                }
            }
            connections[number] = connection
        }

        private mutating func stopWaiting(_ number: Int) {
            guard connections[number]?.isWaiting == true else { return }
            connections[number]?.isWaiting = false
            waitingConnections -= 1
        }

        /// Gives grants to the oldest, and stops where one does not fit.
        private mutating func wakeThoseThatFit() -> [Wake] {
            var woken: [Wake] = []
            while let number = waiting.first {
                guard let connection = connections[number], connection.isWaiting else {
                    waiting.removeFirst()
                    continue
                }
                // One that holds nothing any more needs no grant.
                guard connection.received == 0 || fitsGrant else { break }
                waiting.removeFirst()
                stopWaiting(number)
                if connection.received > 0 { give(to: number) }
                woken.append(connection.wake)
            }
            return woken
        }
    }
#endif
