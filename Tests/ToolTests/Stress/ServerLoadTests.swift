import MemoryPressure
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Real servers that are filled.
@Suite struct ServerLoadTests {
    static let kinds = ["redis": ServerKind.redis, "memcached": .memcached].filter {
        System.executablePath(of: $0.value.program) != nil
    }

    /// The addresses of servers that nobody ends: their references are never given up.
    private static let kept = Lock<[UInt]>([])

    @Test(
        "A server is filled with whole values, says what it uses, gives up what is deleted, and is gone with its load",
        .enabled(if: !kinds.isEmpty, "needs redis-server or memcached"), arguments: kinds.keys.sorted())
    func fill(name: String) throws {
        var load: ServerLoad? = try ServerLoad(#require(Self.kinds[name]), limitBytes: 4 << 20)
        let before = try #require(load?.figures())
        try load?.grow(bytes: (1 << 20) - 1)
        try load?.grow(bytes: (1 << 20) + 1)
        let full = try #require(load?.figures())
        #expect(full.values == 128 && load?.heldBytes == 2 << 20)
        let used = try #require(full.usedBytes) - #require(before.usedBytes)
        #expect(used > 15 * (2 << 20) / 16 && used < 5 * (2 << 20) / 4)
        #expect(try #require(full.residentBytes) > 2 << 20)
        load?.giveBack(bytes: 2 << 20)
        let empty = try #require(load?.figures())
        #expect(empty.values == 0)
        #expect(try #require(empty.usedBytes) < #require(full.usedBytes) - (1 << 20))
        let process = try #require(load?.process)
        load = nil
        #expect(!System.isAlive(process))
    }

    @Test(
        "A server ends with the thread that started it",
        .enabled(if: !kinds.isEmpty, "needs redis-server or memcached"), arguments: kinds.keys.sorted())
    func bound(name: String) async throws {
        let kind = try #require(Self.kinds[name])
        let process: Int32 = try await withCheckedThrowingContinuation { continuation in
            let started = Result {
                try System.startThread {
                    continuation.resume(
                        with: Result {
                            let server = try BoundServer(kind, limitBytes: 1 << 20)
                            let address = unsafe UInt(bitPattern: Unmanaged.passRetained(server).toOpaque())
                            Self.kept.withLock { $0.append(address) }
                            return server.process
                        })
                }
            }
            if case .failure(let error) = started { continuation.resume(throwing: error) }
        }
        #expect(System.waitForEnd(of: process) == .signalled(SIGKILL))
    }

    @Test(
        "The patterns fill a server at their rate, say so, and leave nothing behind",
        .enabled(if: !kinds.isEmpty, "needs redis-server or memcached"), arguments: kinds.keys.sorted())
    func pattern(name: String) async throws {
        let tool = try ToolProcess(
            ["--pattern", name, "--limit", "8MiB", "--rate", "max", "--hold", "0s", "--json"], in: TemporaryDirectory())
        #expect(await tool.end() == .exited(0))
        #expect(tool.output.contains(#""takenBytes":8388608,"#))
        #expect(tool.output.contains(#""server":{"program":"\#(name)"#) && tool.output.contains(#","values":512,"#))
        #expect(!System.directories(in: "/tmp").contains { $0.hasPrefix("jetsam-stress-\(tool.process)-") })
    }

    @Test("A server that is not there is named, with the package that has it")
    func missing() {
        var kind = ServerKind.redis
        kind.program = "no-such-server"
        let error = #expect(throws: StressError.self) { try BoundServer(kind, limitBytes: 1) }
        #expect(error?.description.contains("no-such-server is not on the PATH") == true)
        #expect(error?.description.contains("the package redis-server") == true)
    }

    @Test("A server that ends before it answers is an error that says how it ended")
    func ended() {
        var kind = ServerKind.redis
        kind.program = "false"
        let error = #expect(throws: StressError.self) { try BoundServer(kind, limitBytes: 1) }
        #expect(error?.description == "false ended with status 1 before it answered")
    }
}
