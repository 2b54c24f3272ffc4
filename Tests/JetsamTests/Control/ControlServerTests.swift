import JetsamTesting
import MemoryPressure
import SystemPackage
import TestSupport
import Testing

@testable import Jetsam

#if os(Linux)
    struct ControlServerTests {
        /// Answers at once, but for releases: those wait until the test says so.
        private final class Handler: ControlHandler {
            let waiting = Lock<[@Sendable (ControlAnswer) -> Void]>([])

            func perform(_ request: ControlRequest, reply: @escaping @Sendable (ControlAnswer) -> Void) {
                if case .release = request {
                    waiting.withLock { $0.append(reply) }
                } else {
                    reply(ControlAnswer("asked", .string("\(request)")))
                }
            }

            func isWaiting(_ count: Int) async throws {
                try await eventually("\(count) requests are being carried out") { [waiting] in
                    waiting.withLock { $0.count } == count
                }
            }

            func finishAll() {
                let replies = waiting.withLock { waiting in
                    defer { waiting = [] }
                    return waiting
                }
                for reply in replies { reply(ControlAnswer("released", .null)) }
            }
        }

        private let base: TemporaryDirectory
        private let handler = Handler()

        init() throws {
            base = try TemporaryDirectory()
        }

        private func serve(
            gate: ControlGate? = nil, process: (@Sendable () -> Int32)? = nil,
            before: (String) throws -> Void = { _ in }, _ body: (String) async throws -> Void
        ) async throws {
            let socket = try ControlSocket(directory: base.path.appending("s").string, process: 1)
            let server = try ControlServer(
                socket: socket, gate: gate ?? ControlGate(owner: ControlGate.ownUser, unmapped: .max), handler: handler,
                // Time stands still: on a busy machine a peer may be slower than a conversation's deadlines bear.
                clock: ManualClock(),
                peer: { descriptor in
                    var peer = try? Syscalls.peer(of: descriptor)
                    if let process { peer?.process = process() }
                    return peer
                })
            try before(socket.path)
            try server.start()
            do {
                try await body(socket.path)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
            // Whoever still refers to the socket.
            #expect(try TemporaryDirectory.names(base.path.appending("s")).isEmpty)
            withExtendedLifetime(socket) {}
        }

        @Test("A request is answered with one line, one after another and from several at once")
        func answers() async throws {
            try await serve { path in
                for _ in 0..<20 {
                    #expect(try await ControlPeer.ask("status", path) == "{\"version\":1,\"asked\":\"status\"}\n")
                }
                let peers = try (0..<4).map { _ in try ControlPeer(path) }
                for peer in peers { try peer.send("simulate warning\n") }
                for peer in peers { #expect(try await peer.answer().contains("simulate warning")) }
            }
        }

        @Test("Whoever is neither the process's user nor root is told so, and asks nothing")
        func stranger() async throws {
            // With this user's number standing for users that have none.
            let gate = ControlGate(owner: ControlGate.ownUser, unmapped: ControlGate.ownUser)
            try await serve(gate: gate) { path in
                let peer = try ControlPeer(path)
                #expect(try await peer.answer().contains(#""code":"notAllowed""#))
            }
            #expect(handler.waiting.withLock { $0.isEmpty })
        }

        @Test("A fifth at once is told to come again, and is served when one of the four has gone")
        func fifth() async throws {
            try await serve { path in
                let four = try (0..<4).map { _ in try ControlPeer(path) }
                for peer in four { try peer.send("release 1\n") }
                try await handler.isWaiting(4)
                #expect(try await ControlPeer.ask("status", path).contains(#""code":"busy""#))
                handler.finishAll()
                for peer in four { #expect(try await peer.answer().contains("released")) }
                #expect(try await ControlPeer.ask("status", path).contains("asked"))
            }
        }

        @Test("Whoever asks once is answered, whatever a flood of connections and requests of another process does")
        func flood() async throws {
            let process = Lock<Int32>(1)
            try await serve(process: { process.withLock { $0 } }) { path in
                let asking = try (0..<4).map { _ in try ControlPeer(path) }
                for peer in asking { try peer.send("release 1\n") }
                try await handler.isWaiting(4)
                let silent = try (0..<ControlServer.maximumConnections).map { _ in try ControlPeer(path) }
                // All of them are let in or sent away by the time that this is answered.
                #expect(try await ControlPeer.ask("status", path).contains(#""code":"busy""#))
                process.withLock { $0 = 2 }
                for _ in 0..<10 { #expect(try await ControlPeer.ask("status", path).contains("asked")) }
                handler.finishAll()
                for peer in asking { #expect(try await peer.answer().contains("released")) }
                withExtendedLifetime(silent) {}
            }
        }

        @Test("A request whose peer had gone before it was read is not carried out")
        func gone() async throws {
            try await serve(before: { path in try ControlPeer(path).send("release 1\n") }) { path in
                let answer = try await ControlPeer.ask("status", path)
                // The one before has been read by now.
                #expect(answer.contains("asked"))
                #expect(handler.waiting.withLock { $0.isEmpty })
            }
        }

        @Test("A peer that goes while its request is carried out makes room for another")
        func leaver() async throws {
            try await serve { path in
                do {
                    let four = try (0..<4).map { _ in try ControlPeer(path) }
                    for peer in four { try peer.send("release 1\n") }
                    try await handler.isWaiting(4)
                }
                try await eventually("the four are forgotten") {
                    let answer = (try? await ControlPeer.ask("status", path)) ?? ""
                    return answer.contains("asked")
                }
                handler.finishAll()
                #expect(try await ControlPeer.ask("status", path).contains("asked"))
            }
        }

        @Test("Requests whose peers have gone do not become ever more, and the status is told all the same")
        func leavers() async throws {
            let process = Lock<Int32>(1)
            try await serve(process: { process.withLock { $0 } }) { path in
                for number in 1...ControlServer.mostUnderWay {
                    // Each of a process of its own, which is served however much others ask.
                    process.withLock { $0 += 1 }
                    let peer = try ControlPeer(path)
                    try peer.send("release 1\n")
                    try await handler.isWaiting(number)
                    withExtendedLifetime(peer) {}
                }
                process.withLock { $0 += 1 }
                #expect(try await ControlPeer.ask("release 1", path).contains(#""code":"busy""#))
                #expect(try await ControlPeer.ask("status", path).contains("asked"))
                handler.finishAll()
                let last = try ControlPeer(path)
                try last.send("release 1\n")
                try await handler.isWaiting(1)
                handler.finishAll()
                #expect(try await last.answer().contains("released"))
            }
        }

        @Test("Many who come and go at once are all answered, served or refused")
        func crowd() async throws {
            try await serve { path in
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<40 {
                        group.addTask {
                            while true {
                                // More than the kernel's queue holds: who finds it full comes again.
                                guard let answer = try? await ControlPeer.ask("status", path) else {
                                    await Task.yield()
                                    continue
                                }
                                return answer
                            }
                        }
                    }
                    for try await answer in group {
                        #expect(answer.contains("asked") || answer.contains("busy"))
                    }
                }
            }
        }

        @Test("It ends with peers connected, which see the end")
        func ends() async throws {
            let silent = Lock<ControlPeer?>(nil)
            try await serve { path in
                let peer = try ControlPeer(path)
                try peer.send("release 1\n")
                try await handler.isWaiting(1)
                silent.withLock { $0 = peer }
            }
            let peer = try #require(silent.withLock { $0 })
            #expect(try await peer.answer().isEmpty)
            handler.finishAll()
        }
    }
#endif
