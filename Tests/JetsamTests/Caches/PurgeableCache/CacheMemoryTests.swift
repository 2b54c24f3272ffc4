import Synchronization
import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// Records and indexes of large caches lie in huge pages, each of which goes back when nothing in it is used any more.
struct CacheMemoryTests {
    private static let slabBytes: UInt = 2 << 20

    @Test("Blocks never overlap, keep what is in them, and take their slabs along in the end", arguments: 1...8)
    func blocks(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = [2560, 4096, 40_000, 300_000][Int(seed) % 4]
        let memory = SegmentMemory()
        var slabs = CacheSlabs(blockBytes: size, memory: memory)
        var held: [UInt: UInt64] = [:]
        let words = size / 8
        func word(_ block: UInt, _ index: Int) -> UnsafeMutablePointer<UInt64> {
            unsafe UnsafeMutablePointer<UInt64>(bitPattern: block)! + index
        }
        for step in 0..<3000 {
            // Long rises and falls, so that slabs come and go.
            if Int.random(in: 0..<10, using: &random) < (step / 500 % 2 == 0 ? 7 : 2) {
                let taken = slabs.allocate()
                let block = try #require(taken)
                let stamp = random.next()
                for index in [0, words / 2, words - 1] { unsafe word(block, index).pointee = stamp }
                let old = held.updateValue(stamp, forKey: block)
                #expect(old == nil)
            } else if let (block, stamp) = held.randomElement(using: &random) {
                for index in [0, words / 2, words - 1] { #expect(unsafe word(block, index).pointee == stamp) }
                held[block] = nil
                let isGiven = slabs.deallocate(block)
                #expect(isGiven)
            }
        }
        let blocks = held.keys.sorted()
        for (one, next) in zip(blocks, blocks.dropFirst()) { #expect(next - one >= UInt(size)) }
        for (block, stamp) in held {
            for index in [0, words / 2, words - 1] { #expect(unsafe word(block, index).pointee == stamp) }
            let isGiven = slabs.deallocate(block)
            #expect(isGiven)
        }
        #expect(slabs.count == 0)
        let isGiven = slabs.deallocate(16 * Self.slabBytes)
        #expect(!isGiven)
    }

    @Test("Where no memory can be mapped, there is no block, and the one that there was is still good")
    func refused() {
        let memory = SegmentMemory()
        memory.budget.store(Int(Self.slabBytes), ordering: .relaxed)
        var slabs = CacheSlabs(blockBytes: 200_000, memory: memory)
        let blocks = (0..<10).map { _ in slabs.allocate() }
        #expect(blocks.allSatisfy { $0 != nil })
        let none = slabs.allocate()
        #expect(none == nil)
        let given = blocks.compactMap { $0 }.filter { slabs.deallocate($0) }
        #expect(given.count == 10)
        #expect(slabs.count == 0)
        let another = slabs.allocate()
        #expect(another != nil)
    }

    @Test("A large cache finds all that is in it, and keeps no huge page when it is emptied", arguments: [false, true])
    func largeCache(isReleasedFirst: Bool) {
        let cache = PurgeableCache<Int, Int>(name: "test", registry: CacheRegistry())
        let entries = 400_000
        for key in 0..<entries { cache.insert(-key, for: key) }
        #expect(cache.count == entries)
        #expect(cache.table.memory.slabCount >= 6)
        for key in stride(from: 0, to: entries, by: 3) { cache.removeValue(for: key) }
        #expect((0..<entries).allSatisfy { cache.value(for: $0) == ($0 % 3 == 0 ? nil : -$0) })
        if isReleasedFirst { cache.release(bytes: .max) }
        cache.removeAll()
        #expect(cache.table.memory.slabCount == 0)
    }
}
