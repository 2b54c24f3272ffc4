import Jetsam
import JetsamJemalloc

/// Says whether jemalloc serves the process, and whether it tells and purges what was freed.
@main
enum Jemalloc {
    static func main() {
        let allocator = JemallocAllocator()
        allocator.prepare()
        var blocks: [[UInt8]] = (0..<64 << 8).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 4000) }
        let last = blocks.last
        blocks = []
        let before = allocator.statistics.map { $0.residentBytes - $0.activeBytes } ?? 0
        allocator.trim()
        let after = allocator.statistics.map { $0.residentBytes - $0.activeBytes } ?? 0
        let found = ResourceManager.Environment().allocator
        print(found.name, allocator.canTrim, before >> 20 >= 32 && after < before / 4, last?.count ?? 0)
        if let limitation = allocator.limitation { print(limitation) }
    }
}
