import Jetsam

/// Says which allocator was found, and how many MiB a trim brings of 64 that were freed.
@main
enum Plain {
    static func main() {
        let allocator = ResourceManager.Environment().allocator
        var blocks: [[UInt8]] = (0..<64 << 8).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 4000) }
        let last = blocks.last
        blocks = []
        let before = allocator.statistics.map { $0.residentBytes - $0.activeBytes } ?? allocator.countFreeBytes() ?? 0
        allocator.trim()
        print(allocator.name, allocator.canTrim, before >> 20 >= 32, last?.count ?? 0)
        if let limitation = allocator.limitation { print(limitation) }
    }
}
