/// The importance of a cache, of a background task or of a scene. When memory is short the lowest gives first: caches are asked,
/// background tasks are refused and expire, and scenes of one state are lost in this order. Scenes are restored in the opposite one.
public struct ResourcePriority: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 0…255; higher matters more.
    public var rawValue: UInt8

    /// A priority between the named ones.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// 64: what nobody misses, or what can be done or fetched another time, such as prefetched data. Background tasks of it are
    /// refused at `warning` and while the process drains.
    @inlinable public static var low: ResourcePriority { ResourcePriority(rawValue: 64) }
    /// 128: an ordinary cache, scene or piece of work. Background tasks of it are refused at `critical`.
    @inlinable public static var normal: ResourcePriority { ResourcePriority(rawValue: 128) }
    /// 192: what hurts to lose, such as a cache that a whole tenant waits for, or an upload that was acknowledged. Background tasks
    /// of it are refused only when the process ends.
    @inlinable public static var high: ResourcePriority { ResourcePriority(rawValue: 192) }

    /// Returns whether `lhs` gives before `rhs`.
    @inlinable
    public static func < (lhs: ResourcePriority, rhs: ResourcePriority) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// The name, or the number if it has none.
    public var description: String {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        default: "\(rawValue)"
        }
    }
}
