public import JetsamSystem

/// The reason why a background task may not begin.
public struct BackgroundTaskRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of reason for a refusal.
    public enum Reason: Sendable, Hashable {
        /// Memory is short.
        case pressure(PressureLevel)
        /// The process is on its way out, and only what matters may still begin.
        case draining
        /// The process ends: nothing begins any more.
        case terminating
        /// The table is full: 2^28 tasks are held by one of its parts.
        case full
    }

    /// The reason for the refusal.
    public var reason: Reason
    /// The priority that was asked for.
    package var priority: ResourcePriority
    /// The lowest priority with which the task could begin; nil where no priority would do.
    public var minimumPriority: ResourcePriority?

    /// One line, such as `a background task of priority low may not begin at pressure warning; normal and above may`.
    public var description: String {
        let why =
            switch reason {
            case .pressure(let level): "at pressure \(level)"
            case .draining: "while the process drains"
            case .terminating: "because the process ends"
            case .full: "because too many are held"
            }
        let others = minimumPriority.map { "; \($0) and above may" } ?? ""
        return "a background task of priority \(priority) may not begin \(why)\(others)"
    }
}

/// The rule that says which background tasks may begin: by the memory pressure level and by the state of the process. One word,
/// so that one atomic load answers.
struct Admission: Sendable, Hashable {
    package private(set) var word: UInt32

    private static let levelMask: UInt32 = 3
    private static let drainingBit: UInt32 = 4
    private static let shutBit: UInt32 = 8

    init(word: UInt32) {
        self.word = word
    }

    /// Nothing stands against anything.
    init() {
        word = 0
    }

    var level: PressureLevel {
        get { PressureLevel(rawValue: UInt8(word & Self.levelMask)) ?? .critical }
        set { word = word & ~Self.levelMask | UInt32(newValue.rawValue) }
    }

    /// The process is on its way out.
    var isDraining: Bool {
        get { word & Self.drainingBit != 0 }
        set { word = newValue ? word | Self.drainingBit : word & ~Self.drainingBit }
    }

    /// The process ends.
    var isShut: Bool {
        get { word & Self.shutBit != 0 }
        set { word = newValue ? word | Self.shutBit : word & ~Self.shutBit }
    }

    /// The lowest priority that may begin; nil where none may.
    ///
    /// Work before the end may still need a task; what nobody misses may not hold the end up.
    var minimumPriority: ResourcePriority? {
        if isShut { return nil }
        if level == .critical { return .high }
        return level == .warning || isDraining ? .normal : ResourcePriority(rawValue: 0)
    }

    @inline(__always)
    func admits(_ priority: ResourcePriority) -> Bool {
        // Nearly always nothing stands against it.
        word == 0 || minimumPriority.map { priority >= $0 } ?? false
    }

    /// Nil where it may begin.
    func refusal(_ priority: ResourcePriority) -> BackgroundTaskRefusal? {
        guard !admits(priority) else { return nil }
        let reason: BackgroundTaskRefusal.Reason =
            if isShut {
                .terminating
            } else if isDraining, level < .critical {
                .draining
            } else {
                .pressure(level)
            }
        return BackgroundTaskRefusal(reason: reason, priority: priority, minimumPriority: minimumPriority)
    }
}
