internal import MemoryPressure
internal import Synchronization
internal import SystemPackage

/// Carries out what was asked for by the control socket. Called on the server's thread.
protocol ControlHandler: Sendable {
    /// - Parameter reply: To be called once, from any thread.
    func perform(_ request: ControlRequest, reply: @escaping @Sendable (ControlAnswer) -> Void)
}

/// Serves the control socket on a thread of its own: whoever waits for it, waits there.
///
/// The thread has the ordinary priority: it takes the sampler's lock for a moment to see what the manager knows, and one that
/// yields to everybody could be put aside while it has it.
final class ControlServer: Sendable {
    /// The number of requests that are carried out at once. More are told to come again, except for the first of each process. So
    /// a process that asks once is answered, however often another asks.
    static let maximumRequests = 4
    /// The number of requests that are carried out at once, with those whose peers have gone meanwhile. Without a bound these
    /// would become ever more where caches' handlers hang. A request for the status is answered all the same.
    static let mostUnderWay = 64
    /// The number of peers that are connected at once. For one more, a peer that has not asked yet is sent away: one of the
    /// process that has most.
    static let maximumConnections = 32
    /// So many are let in before those who are there are looked at again.
    private static let mostArrivals = 64
    /// The time after which a connection that has nobody's attention is looked at anyway.
    private static let longestWait = Duration.seconds(60)
    /// The time for which nobody is let in after the process had no descriptor for a connection.
    private static let pause = Duration.milliseconds(200)

    private struct Connection {
        var number: UInt64
        var descriptor: CInt
        var conversation: ControlConversation
        /// The peer's; 0 where it has none here.
        var process: Int32
        /// Its request is being carried out.
        var isPerforming = false
    }

    private struct Mail {
        var answers: [(number: UInt64, answer: ControlAnswer)] = []
        /// Requests that are being carried out, whether their peers are there or not.
        var underWay = 0
        var isStopped = false
        var isRunning = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let socket: ControlSocket
    private let gate: ControlGate
    private let handler: any ControlHandler
    private let clock: any MonotonicClock
    private let peer: @Sendable (CInt) -> Syscalls.Peer?
    private let threads: any ThreadSource
    private let bell: CInt
    private let mail = Lock(Mail())

    init(
        socket: ControlSocket, gate: ControlGate, handler: any ControlHandler,
        clock: any MonotonicClock = SystemMonotonicClock(), threads: any ThreadSource = SystemThreads(),
        peer: @escaping @Sendable (CInt) -> Syscalls.Peer? = { try? Syscalls.peer(of: $0) }
    ) throws(ControlSocketError) {
        self.peer = peer
        self.threads = threads
        self.socket = socket
        self.gate = gate
        self.handler = handler
        self.clock = clock
        do {
            bell = try Syscalls.eventCounter()
        } catch {
            throw ControlSocketError("a descriptor to wake its thread", error)
        }
    }

    deinit {
        Syscalls.close(bell)
    }

    /// The path that the socket had, where somebody else took its name away and so nobody comes any more. Nil where all is well.
    var removedPath: String? { socket.isRemoved ? socket.path : nil }

    func start() throws(ControlSocketError) {
        mail.withLock { $0.isRunning = true }
        do {
            try threads.start("jetsam.control", stackBytes: 256 << 10) { self.loop() }
        } catch {
            mail.withLock { $0.isRunning = false }
            throw ControlSocketError("its thread", error)
        }
    }

    /// Returns once the socket is gone and nobody is served any more; peers that wait for an answer get none.
    func stop() async {
        mail.withLock { $0.isStopped = true }
        Syscalls.signal(eventCounter: bell)
        await withCheckedContinuation { continuation in
            let isRunning = mail.withLock { mail in
                if mail.isRunning { mail.waiter = continuation }
                return mail.isRunning
            }
            if !isRunning { continuation.resume() }
        }
    }

    private func loop() {
        var connections: [Connection] = []
        var nextNumber: UInt64 = 0
        var pausedUntil = clock.now
        while true {
            let isOpen = clock.now >= pausedUntil
            var waits = [Syscalls.Wait(bell, input: true), Syscalls.Wait(socket.descriptor, input: isOpen)]
            waits += connections.map {
                Syscalls.Wait(
                    $0.descriptor, input: $0.conversation.wantsInput, output: !$0.conversation.output.isEmpty)
            }
            let now = clock.now
            var times = connections.map { now.duration(to: $0.conversation.deadline) }
            if pausedUntil > now { times.append(now.duration(to: pausedUntil)) }
            Syscalls.wait(&waits, for: max(.zero, times.min() ?? Self.longestWait))
            if waits[0].hasInput { Syscalls.clear(eventCounter: bell) }
            let (answers, isStopped) = mail.withLock { mail in
                defer { mail.answers = [] }
                return (mail.answers, mail.isStopped)
            }
            if isStopped { break }
            for (number, answer) in answers {
                guard let index = connections.firstIndex(where: { $0.number == number }) else { continue }
                connections[index].conversation.finish(answer.bytes, at: clock.now)
                connections[index].isPerforming = false
            }
            serveAll(&connections, waits)
            if waits[1].hasInput, !accept(&connections, &nextNumber) {
                pausedUntil = clock.now.advanced(by: Self.pause)
            }
        }
        for connection in connections { Syscalls.close(connection.descriptor) }
        // Not when the last one lets go of it: that may be this thread, at its very end.
        socket.removeName()
        let waiter = mail.withLock { mail in
            mail.isRunning = false
            defer { mail.waiter = nil }
            return mail.waiter
        }
        waiter?.resume()
    }

    /// Serves everybody who has something to say or to hear, those first whose process has fewest connections, and forgets those who
    /// are done.
    private func serveAll(_ connections: inout [Connection], _ waits: [Syscalls.Wait]) {
        let counts = Dictionary(connections.map { ($0.process, 1) }, uniquingKeysWith: +)
        let order = connections.indices.sorted { first, second in
            let (one, other) = (connections[first], connections[second])
            return (counts[one.process] ?? 0, one.number) < (counts[other.process] ?? 0, other.number)
        }
        var gone: Set<UInt64> = []
        for index in order {
            let performing = connections.filter(\.isPerforming)
            let isFirst = !performing.contains { $0.process == connections[index].process }
            let mayPerform = isFirst || performing.count < Self.maximumRequests
            if !serve(&connections[index], waits[index + 2], mayPerform: mayPerform) {
                Syscalls.close(connections[index].descriptor)
                gone.insert(connections[index].number)
            }
        }
        if !gone.isEmpty { connections.removeAll { gone.contains($0.number) } }
    }

    /// Serves a connection. Returns whether it goes on.
    private func serve(_ connection: inout Connection, _ wait: Syscalls.Wait, mayPerform: Bool) -> Bool {
        do throws(Errno) {
            if wait.hasInput, connection.conversation.wantsInput {
                guard let bytes = try Syscalls.receive(connection.descriptor, atMost: ControlRequest.maximumBytes)
                else {
                    return true
                }
                switch connection.conversation.receive(bytes, at: clock.now) {
                case .close: return false
                // The peer has gone, and has told its user that no answer came.
                case .perform where wait.isGone: return false
                case .perform(let request) where mayPerform && (request == .status || !isFull):
                    connection.isPerforming = true
                    perform(request, for: connection.number)
                case .perform: connection.conversation.finish(ControlRefusal.busy.answer.bytes, at: clock.now)
                case .wait: break
                }
            } else if wait.isGone, connection.conversation.output.isEmpty {
                return false
            }
            if connection.conversation.expire(at: clock.now) == .close { return false }
            guard !connection.conversation.output.isEmpty else { return true }
            let count = try Syscalls.sendSome(connection.descriptor, connection.conversation.output)
            return connection.conversation.sent(count) != .close
        } catch {
            return false
        }
    }

    private var isFull: Bool { mail.withLock { $0.underWay >= Self.mostUnderWay } }

    private func perform(_ request: ControlRequest, for number: UInt64) {
        mail.withLock { $0.underWay += 1 }
        handler.perform(request) { [self] answer in
            mail.withLock { mail in
                mail.underWay -= 1
                mail.answers.append((number, answer))
            }
            Syscalls.signal(eventCounter: bell)
        }
    }

    /// Lets in who waits; false where the process has no descriptor for one.
    private func accept(_ connections: inout [Connection], _ nextNumber: inout UInt64) -> Bool {
        for _ in 0..<Self.mostArrivals {
            do throws(Errno) {
                guard let descriptor = try Syscalls.accept(socket.descriptor) else { return true }
                nextNumber += 1
                let peer = peer(descriptor)
                let isAdmitted = peer.map { gate.admits($0.user) } ?? false
                let process = peer?.process ?? 0
                guard isAdmitted, makeRoom(&connections, for: process) else {
                    dismiss(descriptor, isAdmitted ? .busy : .notAllowed)
                    continue
                }
                connections.append(
                    Connection(
                        number: nextNumber, descriptor: descriptor, conversation: ControlConversation(at: clock.now),
                        process: process))
            } catch {
                return false
            }
        }
        return true
    }

    /// Sends one away for one more of that process, where there are as many as may be; false where that one has to go instead.
    private func makeRoom(_ connections: inout [Connection], for process: Int32) -> Bool {
        guard connections.count >= Self.maximumConnections else { return true }
        let counts = Dictionary(connections.map { ($0.process, 1) }, uniquingKeysWith: +)
        let silent = connections.indices.filter { connections[$0].conversation.wantsInput }
        // The oldest of the process that has most.
        let victim = silent.min { first, second in
            let (one, other) = (connections[first], connections[second])
            return (counts[other.process] ?? 0, one.number) < (counts[one.process] ?? 0, other.number)
        }
        guard let victim, counts[connections[victim].process] ?? 0 > counts[process] ?? 0 else { return false }
        dismiss(connections[victim].descriptor, .busy)
        connections.remove(at: victim)
        return true
    }

    /// Says why, as far as there is room for it, and closes the connection.
    private func dismiss(_ descriptor: CInt, _ refusal: ControlRefusal) {
        _ = try? Syscalls.sendSome(descriptor, refusal.answer.bytes[...])
        Syscalls.close(descriptor)
    }
}
