/// A stage of the ladder: they are entered in this order, each only when the one before has nothing left to give.
public struct ReclaimStage: Sendable, Hashable, Comparable, CustomStringConvertible {
    private enum Kind: String, Sendable {
        case caches, backgroundTasks = "background tasks", scenes, lastResort = "last resort"
    }

    private let kind: Kind
    private let rank: Int

    private init(_ kind: Kind, rank: Int) {
        self.kind = kind
        self.rank = rank
    }

    /// Registered caches were asked, and the allocator was trimmed.
    public static let caches = ReclaimStage(.caches, rank: 1)
    /// Held background tasks were told that they expire.
    public static let backgroundTasks = ReclaimStage(.backgroundTasks, rank: 2)
    /// A scene was disconnected.
    public static let scenes = ReclaimStage(.scenes, rank: 3)
    /// The application's hook was called.
    public static let lastResort = ReclaimStage(.lastResort, rank: 4)

    /// Returns whether `lhs` is entered before `rhs`.
    public static func < (lhs: ReclaimStage, rhs: ReclaimStage) -> Bool { lhs.rank < rhs.rank }

    /// The stage's name.
    public var description: String { kind.rawValue }
}
