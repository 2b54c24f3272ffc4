import Dispatch
import JetsamTesting
import MemoryPressure
import ServiceLifecycle
import Synchronization
import SystemPackage
import Testing

@testable import Jetsam

#if os(Linux)
    /// What systemd is told, over a datagram socket that the test has bound.
    struct SystemdTests {
        /// Makes each abstract name its own: they are shared by all processes of the machine.
        private static let names = Atomic<Int>(0)
        private let directory: TemporaryDirectory
        private let path: String
        private let socket: DatagramSocket

        init() throws {
            directory = try TemporaryDirectory()
            path = directory.path.appending("notify").string
            socket = try DatagramSocket(path)
        }

        private static func abstractName() -> String {
            let number = names.add(1, ordering: .relaxed).newValue
            return "@jetsam-test-\(ResourceManager.Environment().processID)-\(number)"
        }

        @Test("A launch into the background is a start that is over, and is told as one")
        func readyInBackground() async throws {
            let fixture = try LifecycleFixture(variables: ["NOTIFY_SOCKET": path]) { $0.launchesIntoBackground = true }
            fixture.record.on("didFinishLaunching") { #expect(socket.receiveAll() == []) }
            try await fixture.run { fixture in
                #expect(fixture.manager.processState == .background)
                #expect(socket.receiveAll() == ["READY=1"])
                try await fixture.manager.becomeActive()
                #expect(socket.receiveAll() == [])
            }
        }

        @Test(
            "Ready is told once, when the process is first active; stopping with the time it may take",
            arguments: [false, true])
        func readyAndStopping(isAbstract: Bool) async throws {
            let name = isAbstract ? Self.abstractName() : path
            let socket = isAbstract ? try DatagramSocket(name) : socket
            let fixture = try LifecycleFixture(variables: ["NOTIFY_SOCKET": name]) { $0.activation = .onRequest }
            fixture.record.on("didFinishLaunching") { #expect(socket.receiveAll() == []) }
            let atStop = Lock<[String]>([])
            let server = FakeService("server", in: GroupRecord()) { atStop.withLock { $0 = socket.receiveAll() } }
            try await fixture.run(servers: [server]) { fixture, group in
                #expect(socket.receiveAll() == [], "not active yet")
                try await fixture.manager.becomeActive()
                #expect(socket.receiveAll() == ["READY=1"])
                try await fixture.manager.resignActive()
                try await fixture.manager.becomeActive()
                fixture.machine.advance(by: .seconds(60))
                await fixture.settle()
                #expect(socket.receiveAll() == [], "nobody asked for signs of life")
                await group.triggerGracefulShutdown()
            }
            #expect(atStop.withLock { $0 } == ["STOPPING=1\nEXTEND_TIMEOUT_USEC=30000000"])
            #expect(socket.receiveAll() == [])
            #expect(fixture.logs.warnings == [])
        }

        @Test("A launch that asks for more time asks systemd for it, until it is done")
        func extendedLaunch() async throws {
            let fixture = try LifecycleFixture(variables: ["NOTIFY_SOCKET": path])
            fixture.record.on("willFinishLaunching") { [socket] in
                fixture.manager.extendLaunch(by: .seconds(7))
                fixture.manager.extendLaunch(by: .zero)
                fixture.manager.extendLaunch(by: .seconds(1_000_000))
                #expect(socket.receiveAll() == ["EXTEND_TIMEOUT_USEC=12000000", "EXTEND_TIMEOUT_USEC=3612000000"])
            }
            try await fixture.run { fixture in
                #expect(fixture.record.reasons == [LaunchReason(starter: .supervisor)])
                #expect(socket.receiveAll() == ["READY=1"])
                fixture.manager.extendLaunch(by: .seconds(7))
                #expect(socket.receiveAll() == [])
            }
        }

        @Test("Signs of life come at half of what systemd waits for")
        func pulses() async throws {
            let variables = ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "4711"]
            let fixture = try LifecycleFixture(variables: variables)
            try await fixture.run { fixture in
                try await fixture.until("the first has come") { socket.receiveAll().contains("WATCHDOG=1") }
                for _ in 0..<4 {
                    fixture.machine.advance(by: .milliseconds(1400))
                    await fixture.settle()
                    #expect(socket.receiveAll() == [])
                    fixture.machine.advance(by: .milliseconds(100))
                    try await fixture.until("the next has come") { socket.receiveAll() == ["WATCHDOG=1"] }
                }
            }
        }

        @Test("No sign of life without the sampler, nor without the queue that kernel events come on")
        func hanging() async throws {
            let fixture = try LifecycleFixture(variables: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "2000000"])
            try await fixture.run { fixture in
                try await fixture.until("the first has come") { socket.receiveAll().contains("WATCHDOG=1") }
                // The sampler: time passes, it has no turn.
                fixture.machine.clock.advance(by: .seconds(10))
                await fixture.settle()
                #expect(socket.receiveAll() == [])
                fixture.machine.advance(by: .zero)
                try await fixture.until("it goes on") { socket.receiveAll() == ["WATCHDOG=1"] }
                // The event queue: somebody holds it up, the sampler goes on.
                let gate = Gate()
                fixture.manager.eventQueue.async {
                    gate.arrive()
                    gate.waitUntilOpen()
                }
                await gate.waitForArrivals(1)
                for _ in 0..<5 {
                    fixture.machine.advance(by: .seconds(1))
                    await fixture.settle()
                }
                #expect(socket.receiveAll() == [])
                gate.open()
                try await fixture.until("it goes on") { socket.receiveAll().contains("WATCHDOG=1") }
            }
        }

        @Test(
            "Signs of life are for the process that was asked, and for times that can be kept",
            arguments: [
                ([:], nil), (["WATCHDOG_USEC": "4000000"], Duration.seconds(2)),
                (["WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "4711"], .seconds(2)),
                (["WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "1"], nil),
                (["WATCHDOG_USEC": "4000000", "WATCHDOG_PID": ""], nil), (["WATCHDOG_USEC": "0"], nil),
                (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": "soon"], nil),
                (["WATCHDOG_USEC": "1"], .milliseconds(1)),
                (["WATCHDOG_USEC": "9223372036854775807"], .seconds(15_768_000)),
                (["WATCHDOG_USEC": "18446744073709551615"], nil),
            ])
        func interval(variables: [String: String], interval: Duration?) {
            #expect(SystemdNotifier.pulseInterval(variables, 4711) == interval)
        }

        @Test("A watchdog of another process gets no sign of life from this one")
        func foreign() async throws {
            let variables = ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "4712"]
            let fixture = try LifecycleFixture(variables: variables)
            try await fixture.run { fixture in
                fixture.machine.advance(by: .seconds(30))
                await fixture.settle()
                fixture.manager.eventQueue.sync {}
                #expect(socket.receiveAll() == ["READY=1"])
            }
        }

        @Test("A socket that vanishes is one warning, and nothing else", arguments: [false, true])
        func vanished(isAbstract: Bool) async throws {
            let name = isAbstract ? Self.abstractName() : directory.path.appending("other").string
            let socket = Lock<DatagramSocket?>(try DatagramSocket(name))
            let fixture = try LifecycleFixture(variables: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000000"])
            try await fixture.run(servers: []) { fixture, group in
                await fixture.record.heard("didBecomeActive")
                socket.withLock { $0 = nil }
                for _ in 0..<5 {
                    fixture.machine.advance(by: .seconds(1))
                    await fixture.settle()
                }
                await group.triggerGracefulShutdown()
            }
            #expect(fixture.logs.warnings.count == 1)
            #expect(fixture.logs.warnings.first?.hasPrefix("systemd did not get the message 'WATCHDOG=1'") == true)
            #expect(fixture.record.events.last == "willTerminate")
        }

        @Test(
            "A socket that cannot be had is one warning, and the process runs",
            arguments: ["/nowhere/notify", "relative", "/\(String(repeating: "x", count: 200))", "vsock:2:1234"])
        func unreachable(name: String) async throws {
            let fixture = try LifecycleFixture(variables: ["NOTIFY_SOCKET": name])
            try await fixture.run { fixture in
                #expect(fixture.manager.isReady)
                #expect(fixture.logs.warnings.count == 1)
                #expect(fixture.logs.warnings.first?.contains("cannot be reached") == true)
            }
            #expect(fixture.logs.warnings.count == 1)
        }

        @Test("A peer whose queue is full holds nothing up")
        func full() throws {
            let logs = LogRecord()
            let notifier = try #require(
                SystemdNotifier(variables: ["NOTIFY_SOCKET": path], processID: 4711, logger: logs.logger))
            for _ in 0..<10_000 { notifier.isAlive() }
            #expect(logs.warnings.count == 1)
            #expect(socket.receiveAll().count < 10_000)
            notifier.ready()
            #expect(socket.receiveAll() == ["READY=1"])
        }
    }
#endif
