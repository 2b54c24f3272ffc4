#if NIO || Hummingbird
    /// What one connection has received and not dealt with, and has written and not got rid of.
    ///
    /// Received bytes count until the application answers: until something has been written after them. An application that says
    /// when its requests begin and end is believed instead.
    struct ConnectionAccount {
        private(set) var received = 0
        private var dealtWith = 0
        /// Written bytes that the client has not taken.
        private(set) var unwritten = 0
        /// Of these, what the client had taken of unfinished writes when that was looked at last.
        private var partlyTaken = 0
        /// Requests that the application says are under way.
        private(set) var requests = 0
        /// The application says when requests begin and end.
        private(set) var tellsRequests = false

        /// Received bytes that the application still has.
        var held: Int { received - dealtWith }

        /// Something is under way.
        var isBusy: Bool { requests > 0 || held > 0 || unwritten > 0 }

        mutating func receive(_ bytes: Int) {
            received += bytes
        }

        /// Counts a write. What was received before it is dealt with when the client has taken it.
        mutating func beginWrite(_ bytes: Int) {
            unwritten += bytes
        }

        /// The write has ended. Returns how many received bytes are dealt with by it.
        ///
        /// - Parameter mark: What had been received when it began.
        mutating func endWrite(_ bytes: Int, mark: Int) -> Int {
            unwritten -= bytes
            partlyTaken = 0
            return requests > 0 ? 0 : deal(upTo: mark)
        }

        /// Returns whether the client has taken something since this was asked last, or since a write has ended.
        ///
        /// - Parameter left: The bytes that the channel still has to write.
        mutating func hasTakenSome(left: Int) -> Bool {
            let taken = unwritten - left
            defer { partlyTaken = taken }
            return taken != partlyTaken
        }

        mutating func beginRequest() {
            requests += 1
            tellsRequests = true
        }

        /// Returns how many received bytes are dealt with.
        mutating func endRequest() -> Int {
            requests = max(0, requests - 1)
            return requests > 0 ? 0 : deal(upTo: received)
        }

        /// Returns how many received bytes are dealt with.
        mutating func consume(_ bytes: Int) -> Int {
            deal(upTo: dealtWith + max(0, min(bytes, held)))
        }

        private mutating func deal(upTo mark: Int) -> Int {
            let bytes = max(0, min(mark, received) - dealtWith)
            dealtWith += bytes
            return bytes
        }
    }
#endif
