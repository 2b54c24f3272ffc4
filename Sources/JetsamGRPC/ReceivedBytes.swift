#if GRPC
    internal import Jetsam

    /// The bytes of messages that clients send and services have not taken yet, over all calls of a server, and who may receive
    /// next.
    ///
    /// A message's length is known before its first byte, and is counted as a whole from then on. So every message that was let
    /// in can be received to its end, and two calls never wait for what the other has received in part.
    ///
    /// A value: it has no lock and calls nobody. Its mutators return who is to be woken.
    struct ReceivedBytes {
        /// Tells a call that its message may be received.
        typealias Wake = @Sendable () -> Void

        private struct Call {
            var priority: ResourcePriority
            var wake: Wake
            /// The lengths of messages that were let in and that the service has not taken, the oldest first.
            var messages: [Int] = []
            /// The length of the message that the service has taken last, while that counts.
            var inHand = 0
            /// The length of the message that the service has taken last.
            var last = 0
            var isClaimed = false
            /// The service's method has returned; what it answers may still be under way.
            var hasReturned = false
        }

        private struct Waiting {
            var call: Int
            var bytes: Int
            var priority: ResourcePriority
        }

        /// The most bytes that may be held together. One message alone may be larger.
        private(set) var budget: Int
        private(set) var held = 0
        private var calls: [Int: Call] = [:]
        /// Those of the highest priority first, and of these the oldest.
        private var waiting: [Waiting] = []
        private var nextCall = 1

        init(budget: Int) {
            self.budget = budget
        }

        var waitingCalls: Int { waiting.count }

        /// Adds a call and gives its number.
        mutating func open(priority: ResourcePriority, wake: @escaping Wake) -> Int {
            defer { nextCall += 1 }
            calls[nextCall] = Call(priority: priority, wake: wake)
            return nextCall
        }

        /// Returns whether this is the first time that somebody asks for that call, and there is one.
        mutating func claim(_ number: Int) -> Bool {
            guard let call = calls[number], !call.isClaimed else { return false }
            calls[number]?.isClaimed = true
            return true
        }

        /// Returns whether a message may be received. Where it may not, the call is woken when it may.
        mutating func request(_ bytes: Int, for number: Int) -> Bool {
            guard let call = calls[number] else { return true }
            let outranked = waiting.first.map { $0.priority >= call.priority } ?? false
            guard bytes > 0, outranked || !fits(bytes) else {
                letIn(bytes, number)
                return true
            }
            let place = waiting.firstIndex { $0.priority < call.priority } ?? waiting.endIndex
            waiting.insert(Waiting(call: number, bytes: bytes, priority: call.priority), at: place)
            return false
        }

        /// The service asks for the next message: it is done with the one before.
        mutating func ask(_ number: Int) -> [Wake] {
            putDown(number)
            return wakeThoseThatFit()
        }

        /// The service has got a message.
        mutating func take(_ number: Int) {
            guard var call = calls[number], !call.messages.isEmpty else { return }
            call.inHand = call.messages.removeFirst()
            call.last = call.inHand
            calls[number] = call
        }

        /// The service has learned that there is no further message. Its method still has the last one, unless it has returned.
        mutating func endInput(_ number: Int) {
            guard let call = calls[number], !call.hasReturned else { return }
            calls[number]?.inHand = call.last
            held += call.last
        }

        /// The service's method has returned.
        mutating func endMethod(_ number: Int) -> [Wake] {
            calls[number]?.hasReturned = true
            putDown(number)
            return wakeThoseThatFit()
        }

        /// Removes a call with everything that is held for it.
        mutating func close(_ number: Int) -> [Wake] {
            guard let call = calls.removeValue(forKey: number) else { return [] }
            held -= call.inHand + call.messages.reduce(0, +)
            waiting.removeAll { $0.call == number }
            return wakeThoseThatFit()
        }

        mutating func setBudget(_ bytes: Int) -> [Wake] {
            budget = bytes
            return wakeThoseThatFit()
        }

        /// Whether a message fits. One that is larger than the budget does where it is alone: it would wait for ever.
        private func fits(_ bytes: Int) -> Bool { held == 0 || bytes <= budget - held }

        private mutating func letIn(_ bytes: Int, _ number: Int) {
            calls[number]?.messages.append(bytes)
            held += bytes
        }

        private mutating func putDown(_ number: Int) {
            guard let call = calls[number] else { return }
            held -= call.inHand
            calls[number]?.inHand = 0
        }

        /// Lets in those in front, and stops at the first that does not fit: a large message would never have its turn
        /// otherwise.
        private mutating func wakeThoseThatFit() -> [Wake] {
            var woken: [Wake] = []
            while let first = waiting.first, fits(first.bytes) {
                waiting.removeFirst()
                letIn(first.bytes, first.call)
                if let wake = calls[first.call]?.wake { woken.append(wake) }
            }
            return woken
        }
    }
#endif
