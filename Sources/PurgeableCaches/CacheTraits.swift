public import JetsamSystem

/// The facts about a cache that reclaim should know before it asks.
public struct CacheTraits: OptionSet, Sendable, Hashable {
    /// The bits.
    public var rawValue: UInt8

    /// A set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Giving memory back touches much memory, and so pages it in: such a cache is asked after the others of its band and cost.
    public static let traversal = CacheTraits(rawValue: 1 << 0)
    /// The contents cannot be made again in full: such a cache is asked last.
    public static let lossy = CacheTraits(rawValue: 1 << 1)
    /// The handlers are `async`. Set by the registration itself.
    package static let asynchronous = CacheTraits(rawValue: 1 << 2)
    /// The contents are private: emptied on entering the background.
    public static let sensitive = CacheTraits(rawValue: 1 << 3)
    /// The memory that it gives back goes to the kernel at once, as with `munmap` and `madvise`, and not through the allocator.
    /// No trim is needed before the memory is seen to leave.
    public static let unmapping = CacheTraits(rawValue: 1 << 4)
    /// Its memory is the library's own: no code of the application's runs when it gives. Set by the registration itself.
    package static let segments = CacheTraits(rawValue: 1 << 7)

    /// Every trait with its word in reports, in the order of the bits.
    package static let named: [(trait: CacheTraits, word: String)] = [
        (.traversal, "traversal"), (.lossy, "lossy"), (.asynchronous, "asynchronous"), (.sensitive, "sensitive"),
        (.unmapping, "unmapping"), (.segments, "segments"),
    ]

    /// The words of those that are set.
    package var words: [String] { Self.named.filter { contains($0.trait) }.map(\.word) }
}

/// A request to a cache to give memory back.
public struct ReleaseRequest: Sendable, Equatable {
    /// Give back at least this many bytes, if the cache has them; never negative.
    public var bytes: Int
    /// The memory pressure level.
    public var level: PressureLevel
    /// The time that the handler may take before the other caches go on without it.
    public var deadline: Duration
    /// The greatest number of bytes that may be given: a probe passes over values that are larger.
    @usableFromInline package var mostBytes = Int.max

    /// A request, for tests of a handler.
    public init(bytes: Int, level: PressureLevel, deadline: Duration) {
        self.bytes = bytes
        self.level = level
        self.deadline = deadline
    }
}
