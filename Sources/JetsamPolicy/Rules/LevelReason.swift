public import MemoryPressure

/// The cause that made the manager look. Others may be added: give a
/// `switch` a `default`.
public enum LevelCause: Sendable, Hashable {
    /// The sampler's own reading.
    case sampler
    /// The reading taken after a reclaim step.
    case reclaim
    /// A call of the application's, such as `ResourceManager.simulate(_:for:)`.
    case request
    /// A kernel event that came through a Dispatch source.
    case event(MemorySignalSource)

    /// The kernel source whose event it was; nil where no event was the cause.
    package var eventSource: MemorySignalSource? {
        if case .event(let source) = self { source } else { nil }
    }

    /// A few words, such as `event of PSI trigger`.
    package var text: String {
        switch self {
        case .sampler: "sampler"
        case .reclaim: "reading after a reclaim step"
        case .request: "request"
        case .event(let source): "event of \(source)"
        }
    }
}

/// The reason for the present level: the rule, the value that was observed, and the threshold that it crossed.
public struct LevelReason: Sendable, Equatable, CustomStringConvertible {
    /// The unit of ``observed`` and ``threshold``.
    public enum Unit: Sendable {
        /// Bytes.
        case bytes
        /// Milliseconds.
        case milliseconds
        /// Percent of the stall window.
        case percent
        /// A number of events.
        case count
        /// There is nothing to compare: the level was told.
        case none
    }

    /// The rule that voted highest; the first to raise the level keeps it.
    public var rule: PressureRule
    /// The value that the rule saw, in ``unit``.
    public var observed: Int
    /// The value that it was compared with, in ``unit``.
    public var threshold: Int
    /// The unit of both.
    public var unit: Unit
    /// The cause that made the manager look.
    public var cause: LevelCause

    package init(rule: PressureRule, observed: Int, threshold: Int, unit: Unit, cause: LevelCause) {
        self.rule = rule
        self.observed = observed
        self.threshold = threshold
        self.unit = unit
        self.cause = cause
    }

    /// The reason why the level fell: the rule that called before, and the highest vote that is left.
    package func text(after ended: PressureRule?) -> String {
        guard let ended, ended != rule else { return description }
        return "\(ended) calls no more; \(description)"
    }

    /// One line, such as `headroom 98 MiB is below 102.4 MiB (sampler)`.
    public var description: String {
        // For a fall it is the highest vote that is left: it has passed its threshold the other way.
        let relation = observed < threshold ? "is below" : "is above"
        switch unit {
        case .bytes: return "\(rule) \(ByteCount(observed)) \(relation) \(ByteCount(threshold)) (\(cause.text))"
        case .milliseconds: return "\(rule) \(observed) ms \(relation) \(threshold) ms (\(cause.text))"
        case .percent: return "\(rule) \(observed) % \(relation) \(threshold) % (\(cause.text))"
        case .count: return "\(rule): \(observed) new (\(cause.text))"
        case .none: return "\(rule) (\(cause.text))"
        }
    }
}
