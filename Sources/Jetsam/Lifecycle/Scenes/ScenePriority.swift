/// The band that a scene belongs to: within a state lower ones are lost first, and higher ones are restored first.
public struct ScenePriority: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 0…255; lower is lost first.
    public var rawValue: UInt8

    /// A band of one's own between the named ones.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// 64: what can be fetched again by whoever wants it.
    public static let low = ScenePriority(rawValue: 64)
    /// 128: an ordinary scene.
    public static let normal = ScenePriority(rawValue: 128)
    /// 192: what many wait for.
    public static let high = ScenePriority(rawValue: 192)

    /// Returns whether `lhs` is lost before `rhs`.
    public static func < (lhs: ScenePriority, rhs: ScenePriority) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// The name, or the number where the band has none.
    public var description: String {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        default: "\(rawValue)"
        }
    }
}
