internal import CLinuxShims
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
    /// How many peers are served at once; more are told to come again.
    static let maximumConnections = 4
    /// How many more are told that they are refused at the same time; the others wait in the kernel's queue.
    private static let maximumGuests = 4
    /// What has nobody's attention for so long is looked at anyway.
    private static let longestWait = Duration.seconds(60)
    /// How long nobody is let in after the process had no descriptor for a connection.
    private static let pause = Duration.milliseconds(200)

    private struct Connection {
        var number: UInt64
        var descriptor: CInt
        var conversation: ControlConversation
        /// Only told that it is refused.
        var isGuest = false
    }

    private struct Mail {
        var answers: [(number: UInt64, answer: ControlAnswer)] = []
        var isStopped = false
        var isRunning = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let socket: ControlSocket
    private let gate: ControlGate
    private let handler: any ControlHandler
    private let clock: any MonotonicClock
    private let bell: CInt
    private let mail = Lock(Mail())

    init(
        socket: ControlSocket, gate: ControlGate, handler: any ControlHandler,
        clock: any MonotonicClock = SystemMonotonicClock()
    ) throws(ControlSocketError) {
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

    func start() throws(ControlSocketError) {
        mail.withLock { $0.isRunning = true }
        do {
            try ServiceThread.start("jetsam.control", stackBytes: 256 << 10) { self.loop() }
        } catch {
            mail.withLock { $0.isRunning = false }
            throw ControlSocketError("its thread", error)
        }
    }

    /// Returns once the socket is gone and nobody is served any more; peers that wait for an answer get none.
    func stop() async {
        mail.withLock { $0.isStopped = true }
        ring()
        await withCheckedContinuation { continuation in
            let isRunning = mail.withLock { mail in
                if mail.isRunning { mail.waiter = continuation }
                return mail.isRunning
            }
            if !isRunning { continuation.resume() }
        }
    }

    private func ring() {
        #if os(Linux)
            _ = jetsam_eventfd_signal(bell)
        #endif
    }

    private func silence() {
        #if os(Linux)
            _ = jetsam_eventfd_drain(bell)
        #endif
    }

    private func loop() {
        var connections: [Connection] = []
        var nextNumber: UInt64 = 0
        var pausedUntil = clock.now
        while true {
            let isOpen = connections.count < Self.maximumConnections + Self.maximumGuests && clock.now >= pausedUntil
            var waits = [Syscalls.Wait(bell, input: true), Syscalls.Wait(socket.descriptor, input: isOpen)]
            waits += connections.map {
                Syscalls.Wait(
                    $0.descriptor, input: $0.conversation.wantsInput, output: !$0.conversation.output.isEmpty)
            }
            let now = clock.now
            var times = connections.map { now.duration(to: $0.conversation.deadline) }
            if pausedUntil > now { times.append(now.duration(to: pausedUntil)) }
            Syscalls.wait(&waits, for: max(.zero, times.min() ?? Self.longestWait))
            if waits[0].hasInput { silence() }
            let (answers, isStopped) = mail.withLock { mail in
                defer { mail.answers = [] }
                return (mail.answers, mail.isStopped)
            }
            if isStopped { break }
            for (number, answer) in answers {
                guard let index = connections.firstIndex(where: { $0.number == number }) else { continue }
                connections[index].conversation.finish(answer.bytes, at: clock.now)
            }
            for index in connections.indices.reversed() where !serve(&connections[index], waits[index + 2]) {
                Syscalls.close(connections[index].descriptor)
                connections.remove(at: index)
            }
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

    /// Whether the connection goes on.
    private func serve(_ connection: inout Connection, _ wait: Syscalls.Wait) -> Bool {
        do throws(Errno) {
            if wait.hasInput, connection.conversation.wantsInput {
                guard let bytes = try Syscalls.receive(connection.descriptor, atMost: ControlRequest.maximumBytes)
                else {
                    return true
                }
                switch connection.conversation.receive(bytes, at: clock.now) {
                case .close: return false
                case .perform(let request): perform(request, for: connection.number)
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

    private func perform(_ request: ControlRequest, for number: UInt64) {
        handler.perform(request) { [self] answer in
            mail.withLock { $0.answers.append((number, answer)) }
            ring()
        }
    }

    /// Lets in who waits; false where the process has no descriptor for one.
    private func accept(_ connections: inout [Connection], _ nextNumber: inout UInt64) -> Bool {
        while connections.count < Self.maximumConnections + Self.maximumGuests {
            do throws(Errno) {
                guard let descriptor = try Syscalls.accept(socket.descriptor) else { return true }
                nextNumber += 1
                let refusal = refusal(descriptor, connections.count { !$0.isGuest })
                let conversation =
                    refusal.map { ControlConversation(refusing: $0, at: clock.now) }
                    ?? ControlConversation(at: clock.now)
                connections.append(
                    Connection(
                        number: nextNumber, descriptor: descriptor, conversation: conversation, isGuest: refusal != nil)
                )
            } catch {
                return false
            }
        }
        return true
    }

    private func refusal(_ descriptor: CInt, _ served: Int) -> ControlRefusal? {
        guard let peer = try? Syscalls.peer(of: descriptor), gate.admits(peer.user) else { return .notAllowed }
        return served < Self.maximumConnections ? nil : .busy
    }
}
