public import MemoryPressure

/// Why a background task may not begin.
public struct BackgroundTaskRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// What stood against it.
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

    /// What stood against it.
    public var reason: Reason
    /// What the task was to have.
    public var priority: BackgroundTaskPriority
    /// What it would need to have; nil where no priority would do.
    public var minimumPriority: BackgroundTaskPriority?

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

/// Which background tasks may begin, and why not the others.
struct Admission: Equatable, Sendable {
    /// Nil where none may.
    var minimumPriority: BackgroundTaskPriority?
    var reason: BackgroundTaskRefusal.Reason

    static let everything = Admission(minimumPriority: .init(rawValue: 0), reason: .pressure(.normal))
    static let nothing = Admission(minimumPriority: nil, reason: .terminating)

    /// The least priority and the reason in one word, so that one atomic load answers.
    var word: UInt32 {
        let least = minimumPriority.map { UInt32($0.rawValue) } ?? 256
        let code: UInt32 =
            switch reason {
            case .pressure(let level): UInt32(level.rawValue)
            case .draining: 16
            case .terminating: 17
            case .full: 18
            }
        return code << 16 | least
    }

    init(minimumPriority: BackgroundTaskPriority?, reason: BackgroundTaskRefusal.Reason) {
        self.minimumPriority = minimumPriority
        self.reason = reason
    }

    init(word: UInt32) {
        let least = word & 0xFFFF
        minimumPriority = least > 255 ? nil : BackgroundTaskPriority(rawValue: UInt8(least))
        reason =
            switch word >> 16 {
            case 16: .draining
            case 17: .terminating
            case 18: .full
            default: .pressure(PressureLevel(rawValue: UInt8(word >> 16)) ?? .critical)
            }
    }

    @inline(__always)
    static func admits(_ priority: BackgroundTaskPriority, word: UInt32) -> Bool {
        UInt32(priority.rawValue) >= word & 0xFFFF
    }
}
