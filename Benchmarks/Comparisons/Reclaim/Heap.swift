import Jetsam

/// The allocator that serves this process.
enum Heap {
    static let allocator = SystemAllocator()

    /// The one that it has to be for a way.
    static func expected(_ way: String) -> String { way == "jetsam" ? "jemalloc" : way }
}
