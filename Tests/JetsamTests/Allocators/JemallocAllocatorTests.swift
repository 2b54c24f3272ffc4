import AllocationCounter
import Jetsam
import JetsamJemalloc
import Testing

/// jemalloc serves this process, but under a sanitizer. Its settings are the process's: one test at a time.
@Suite(.serialized)
struct JemallocAllocatorTests {
    private static let isServed = allocation_counter_works()

    @Test("It is trusted where it serves the process, and nowhere else; the system's allocator says the same")
    func trust() {
        let allocator = JemallocAllocator()
        #expect(allocator.isGoverning == Self.isServed)
        #expect(allocator.canTrim == Self.isServed)
        #expect((allocator.limitation == nil) == Self.isServed)
        #expect((allocator.statistics == nil) == !Self.isServed)
        let system = SystemAllocator()
        #expect(system.name == (Self.isServed ? "jemalloc" : "unknown"))
        #expect(system.canTrim == Self.isServed)
        #expect((system.limitation == nil) == Self.isServed)
    }

    @Test(
        "What is freed is told as retained until a purge gives it back", .enabled(if: isServed, "not under a sanitizer")
    )
    func purge() throws {
        // Nothing decays meanwhile.
        var settings = JemallocAllocator.Settings()
        settings.dirtyDecay = nil
        settings.usesBackgroundThread = false
        let allocator = JemallocAllocator(settings: settings)
        allocator.prepare()
        defer { JemallocAllocator().prepare() }
        let bytes = 64 << 20
        func isGivenBack(_ purged: AllocatorStatistics, since freed: AllocatorStatistics) -> Bool {
            purged.retainedBytes <= freed.retainedBytes - bytes / 4 * 3
        }
        var freed = try #require(allocator.statistics)
        var purged = freed
        // Other tests allocate and free meanwhile, and a manager of theirs may purge in between.
        for _ in 0..<100 {
            let block = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 4096)
            unsafe block.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
            let full = try #require(allocator.statistics)
            #expect(full.allocatedBytes >= bytes)
            #expect(full.activeBytes >= full.allocatedBytes && full.residentBytes >= full.activeBytes)
            unsafe block.deallocate()
            freed = try #require(allocator.statistics)
            allocator.trim()
            purged = try #require(allocator.statistics)
            if freed.retainedBytes >= bytes / 8 * 7, isGivenBack(purged, since: freed) { break }
        }
        #expect(freed.retainedBytes >= bytes / 8 * 7)
        #expect(isGivenBack(purged, since: freed))
        #expect(purged.reservedBytes > freed.reservedBytes || purged.residentBytes < freed.residentBytes)
    }

    @Test(
        "A server's settings are the documented ones, and others can be set",
        .enabled(if: isServed, "not under a sanitizer"))
    func settings() throws {
        JemallocAllocator().prepare()
        defer { JemallocAllocator().prepare() }
        #expect(try #require(JemallocControl.settings) == (5_000, 0, true))
        var others = JemallocAllocator.Settings()
        others.dirtyDecay = nil
        others.muzzyDecay = .milliseconds(250)
        others.usesBackgroundThread = false
        JemallocAllocator(settings: others).prepare()
        #expect(try #require(JemallocControl.settings) == (-1, 250, false))
        JemallocAllocator(settings: nil).prepare()
        #expect(try #require(JemallocControl.settings) == (-1, 250, false))
    }

    @Test("A purge of idle arenas alone is possible at any time", .enabled(if: isServed, "not under a sanitizer"))
    func idle() throws {
        let allocator = JemallocAllocator(settings: nil)
        allocator.purge(.idle)
        #expect(allocator.statistics != nil)
    }
}
