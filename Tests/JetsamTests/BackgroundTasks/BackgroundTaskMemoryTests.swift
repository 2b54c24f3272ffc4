import AllocationCounter
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

struct BackgroundTaskMemoryTests {
    @Test(
        "A pair of begin and end allocates nothing beyond the caller's closure",
        .enabled(if: allocation_counter_works(), "jemalloc serves the process, and counts, but not under a sanitizer"))
    func pair() throws {
        let registry = ManualRegistry().registry
        // One stays held, so that no chunk comes and goes.
        let stays = try registry.begin("stays")
        func bytes(_ count: Int, _ body: () throws -> Void) rethrows -> UInt64 {
            let before = allocation_counter_thread_bytes()
            for _ in 0..<count { try body() }
            return allocation_counter_thread_bytes() - before
        }
        func plain() throws {
            var task = try registry.begin("plain", priority: .high, expiry: .after(.seconds(30)))
            task.end()
            drop(try registry.begin("dropped"))
        }
        // A word and not a reference, which would be the closure's context itself.
        let word = Int.random(in: 0...9)
        func closure() -> @Sendable () -> Void {
            { precondition(word >= 0) }
        }
        func capturing() throws {
            var task = try registry.begin("capturing", expiry: .after(.seconds(1)), onExpiration: closure())
            task.end()
        }
        func informed() throws {
            var task = try registry.begin(
                "informed", expiry: .after(.seconds(1)), onExpiration: { _, _ in precondition(word >= 0) })
            task.end()
        }
        func moving() throws {
            for _ in 0..<10 { stays.progress() }
        }
        // The first ones register their names and make the shards' first chunks, on each processor that comes by.
        _ = try bytes(2000, plain)
        _ = try bytes(2000, capturing)
        _ = try bytes(2000, informed)
        try moving()
        let keeper = Keeper()
        let alone = bytes(1000) { keeper.closure = closure() }
        // The thread may move to a processor whose shard has no chunk yet: then once more.
        let plainBytes = try (0..<5).map { _ in try bytes(1000, plain) }.min()
        let capturingBytes = try (0..<5).map { _ in try bytes(1000, capturing) }.min()
        let informedBytes = try (0..<5).map { _ in try bytes(1000, informed) }.min()
        #expect(plainBytes == 0)
        #expect(informedBytes == alone)
        #expect(try bytes(1000, moving) == 0)
        #expect(alone == 1000 * 32)
        #expect(capturingBytes == alone)
        withExtendedLifetime(stays) {}
    }

    private func drop(_ task: consuming BackgroundTask) {}

    @Test("An entry of the table has 56 bytes")
    func entry() {
        #expect(MemoryLayout<TaskEntry>.size == 56 && MemoryLayout<TaskEntry>.stride == 56)
        #expect(MemoryLayout<InformedHandler>.size == MemoryLayout<ExpirationHandler>.size)
    }

    @Test("Any two literals stay known, wherever they lie in memory")
    func origins() {
        for first in UInt(0)..<200 {
            for second in UInt(0)..<200 where second != first {
                let cache = OriginCache()
                cache.store(0x7000_0000 + first * 8, 1, 40, 1)
                cache.store(0x7000_0000 + second * 8, 1, 41, 2)
                let numbers = [
                    cache.number(0x7000_0000 + first * 8, 1, 40), cache.number(0x7000_0000 + second * 8, 1, 41),
                ]
                #expect(numbers == [1, 2], "\(first) and \(second)")
            }
        }
    }

    /// Keeps a closure as it is: generic code would wrap it anew.
    private final class Keeper {
        var closure: (@Sendable () -> Void)?
    }

    @Test(
        "After the end of very many in random order no shard keeps more than one empty chunk", arguments: [false, true])
    func chunks(inOrder: Bool) {
        // A million where there is time.
        let isLong = seedBatches.last.map { $0.upperBound > 1000 } ?? false
        let count = isLong ? 1_000_000 : 60_000
        let registry = ManualRegistry().registry
        let table = registry.table
        var identifiers = (0..<count).map { number in
            registry.beginBackgroundTask(expiry: number % 2 == 0 ? .after(.seconds(60)) : .atTermination)
        }
        let most = table.chunks
        #expect(most.kept >= count / TaskSlab.chunkSize && most.kept <= count / TaskSlab.chunkSize + 16)
        var random = SeededGenerator(seed: 11)
        if !inOrder { identifiers.shuffle(using: &random) }
        for identifier in identifiers.dropFirst(10) { registry.endBackgroundTask(identifier) }
        // Ten that are left hold ten chunks at most.
        #expect(table.chunks.kept <= 10 + table.shardCount)
        #expect(table.chunks.empty <= table.shardCount)
        for identifier in identifiers.prefix(10) { registry.endBackgroundTask(identifier) }
        #expect(table.chunks.kept <= table.shardCount)
        #expect(table.takenSlots == 0)
        // And it can all be had again.
        let again = (0..<5000).map { _ in registry.beginBackgroundTask() }
        #expect(registry.heldCount == 5000)
        for identifier in again { registry.endBackgroundTask(identifier) }
        #expect(table.chunks.kept <= table.shardCount)
    }

    @Test("One that comes and goes at the edge of a chunk does not make the table breathe")
    func edge() throws {
        let registry = ManualRegistry().registry
        var held = (0..<TaskSlab.chunkSize * registry.table.shardCount).map { _ in registry.beginBackgroundTask() }
        for _ in 0..<3 { held.append(registry.beginBackgroundTask()) }
        let before = registry.table.chunks.kept
        for _ in 0..<100 {
            let task = registry.beginBackgroundTask()
            registry.endBackgroundTask(task)
        }
        #expect(registry.table.chunks.kept <= before + registry.table.shardCount)
        for identifier in held { registry.endBackgroundTask(identifier) }
        #expect(registry.table.chunks.kept <= registry.table.shardCount)
    }
}
