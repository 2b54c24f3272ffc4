import JetsamTesting
import Logging
import MemoryPressure
import ServiceLifecycle
import Testing

@testable import Jetsam

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ready means that connections are taken.
struct ServingTests {
    private let group = GroupRecord()

    @Test("The process is ready when the servers say that they listen, and not before")
    func reported() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run(servers: [FakeService("server", in: group)], serving: nil) { fixture, group in
            try await fixture.until("the gate runs") { fixture.lifecycle.state.current.servers.isGateRunning }
            for _ in 0..<20 { await Task.yield() }
            #expect(!fixture.manager.isReady && fixture.manager.processState == .inactive)
            fixture.manager.didStartServing()
            await fixture.record.heard("didBecomeActive")
            #expect(fixture.manager.isReady)
            // A second server, or a second word of the first.
            try await fixture.manager.resignActive()
            fixture.manager.didStartServing()
            for _ in 0..<20 { await Task.yield() }
            #expect(!fixture.manager.isReady, "a pause is not ended by it")
            await group.triggerGracefulShutdown()
        }
        #expect(fixture.manager.status.process.missedDeadlines == 0)
    }

    @Test("Who asked for a state before the servers listen keeps it")
    func askedBefore() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run(servers: [FakeService("server", in: group)], serving: .reported) { fixture, group in
            try await fixture.until("the gate runs") { fixture.lifecycle.state.current.servers.isGateRunning }
            try await fixture.until("it is launched") { fixture.lifecycle.state.current.launch.isDone }
            // A pause, asked for while it is not active yet.
            try await fixture.manager.resignActive()
            fixture.manager.didStartServing()
            await fixture.settle()
            #expect(fixture.manager.processState == .inactive && !fixture.manager.isReady)
            try await fixture.manager.becomeActive()
            #expect(fixture.manager.isReady)
            await group.triggerGracefulShutdown()
        }
    }

    @Test("Servers that were quicker than the launch are not waited for", arguments: [false, true])
    func early(isBeforeRun: Bool) async throws {
        let fixture = try LifecycleFixture()
        if isBeforeRun { fixture.manager.didStartServing() }
        fixture.record.on("didFinishLaunching") { fixture.manager.didStartServing() }
        try await fixture.run(servers: [FakeService("server", in: group)], serving: .reported) { fixture, group in
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
        }
        #expect(fixture.record.events.filter { $0 == "didBecomeActive" }.count == 1)
    }

    @Test("Servers that do not listen by the launch's deadline are late, and are waited for all the same")
    func late() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run(servers: [FakeService("server", in: group)], serving: .reported) { fixture, group in
            try await fixture.until("they are waited for") { fixture.nextDeadline == 5 }
            fixture.manager.extendLaunch(by: .seconds(2))
            fixture.machine.advance(by: .milliseconds(6900))
            #expect(fixture.manager.status.process.missedDeadlines == 0)
            fixture.machine.advance(by: .milliseconds(100))
            let process = fixture.manager.status.process
            #expect(process.lateObservers.map(\.line) == ["'servers' in didStartServing"])
            #expect(!process.isReady)
            #expect(fixture.logs.warnings.contains { $0.contains("didStartServing() is called") })
            fixture.manager.didStartServing()
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
        }
    }

    @Test("A process that never listens ends when it is told, and says that it did not start")
    func never() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run(servers: [FakeService("server", in: group)], serving: .reported) { fixture, group in
            try await fixture.until("they are waited for") { fixture.nextDeadline == 5 }
            await group.triggerGracefulShutdown()
        }
        #expect(fixture.record.events.suffix(2) == ["didEnterBackground", "willTerminate"])
        #expect(!fixture.record.events.contains("didBecomeActive"))
    }

    @Test("A port is looked for until somebody listens there")
    func listening() async throws {
        let fixture = try LifecycleFixture()
        let server = FakeService("server", in: group)
        try await fixture.run(servers: [server], serving: .listening(onPorts: [80, 443])) { fixture, group in
            for ports in [[], [80], [443, 8080]] as [Set<UInt16>] {
                fixture.ports.withLock { $0 = ports }
                try await fixture.until("it waits") { fixture.nextDeadline.map { $0 < 1 } ?? false }
                fixture.machine.advance(by: .milliseconds(50))
                #expect(!fixture.manager.isReady)
            }
            fixture.ports.withLock { $0 = [80, 443] }
            // It may have looked only now.
            try await fixture.until("it waits, or has found them") {
                fixture.manager.isReady || fixture.nextDeadline.map { $0 < 1 } ?? false
            }
            fixture.machine.advance(by: .milliseconds(50))
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
        }
    }

    @Test("Where the ports cannot be told that is said, and the servers' word is waited for")
    func unknownPorts() async throws {
        let fixture = try LifecycleFixture()
        fixture.ports.withLock { $0 = nil }
        let server = FakeService("server", in: group)
        try await fixture.run(servers: [server], serving: .listening(onPorts: [80])) { fixture, group in
            try await fixture.until("it says so") {
                fixture.logs.warnings.contains { $0.contains("ports that listen cannot be read") }
            }
            #expect(!fixture.manager.isReady)
            fixture.manager.didStartServing()
            await fixture.record.heard("didBecomeActive")
            await group.triggerGracefulShutdown()
        }
    }

    @Test("Sockets that listen are told from others in the kernel's list")
    func parsing() {
        let text = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
               1: 0100007F:01BB 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0 20 4 30 10 -1
               2: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0 0 0 0 0 0 3
               3: damaged
            """
        #expect(ListeningPorts.parse(Array(text.utf8)) == [8080, 80])
    }

    #if os(Linux)
        @Test("The kernel lists a socket once it listens, and not when it is only bound")
        func realSocket() throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
                }
            }
            try #require(isBound)
            let port = UInt16(bigEndian: address.sin_port)
            #expect(try !ListeningPorts.current(in: KernelRoot()).contains(port))
            try #require(listen(descriptor, 1) == 0)
            #expect(try ListeningPorts.current(in: KernelRoot()).contains(port))
        }
    #endif

    @Test("A manager that runs without its gate says so once", arguments: [false, true])
    func noGate(hasGate: Bool) async throws {
        let fixture = try LifecycleFixture()
        if hasGate {
            try await fixture.run(servers: []) { fixture, group in await group.triggerGracefulShutdown() }
        } else {
            try await fixture.run { _ in }
        }
        let lines = fixture.logs.lines.filter { $0.level >= .notice && $0.text.contains("without its drain gate") }
        #expect(lines.count == (hasGate ? 0 : 1))
    }
}
