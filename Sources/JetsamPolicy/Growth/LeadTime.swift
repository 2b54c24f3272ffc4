internal import MemoryPressure

/// The time from the decision to ask the caches until they have given the memory. It is measured from the steps that were made;
/// before the first it is assumed.
package struct LeadTime: Equatable {
    /// From the reading that decided to the first call of a cache, with the latency of the step's calls: what nine of ten of the last steps
    /// did not exceed. 0 where it is not known.
    package var responseNanoseconds = 0
    /// The speed at which caches gave in the last steps, trims included, in bytes a second; 0 where it is not known.
    package var bytesPerSecond = 0

    package init(responseNanoseconds: Int = 0, bytesPerSecond: Int = 0) {
        self.responseNanoseconds = responseNanoseconds
        self.bytesPerSecond = bytesPerSecond
    }

    /// A wake-up of a reclaim thread takes 0.1 to 2 ms on a busy machine, the first call as long again.
    static let assumedResponse = 5_000_000
    /// The bytes that a cache of Swift values gives in a second; segments are given four times as fast.
    static let assumedBytesPerSecond = 512 << 20

    /// Nanoseconds until so many bytes are there, within the configured bounds.
    ///
    /// - Parameter interval: Nanoseconds between two readings.
    package func nanoseconds(
        toGive bytes: Int, interval: Int64, _ rule: ManagerConfiguration.LeadTimeRule
    ) -> Int64 {
        let response = responseNanoseconds > 0 ? responseNanoseconds : Self.assumedResponse
        let rate = bytesPerSecond > 0 ? bytesPerSecond : Self.assumedBytesPerSecond
        let time = Double(interval) + Double(response) + Double(bytes) / Double(rate) * 1e9
        let safe = Int64(Int(saturating: time * Double(rule.safetyPercent) / 100))
        return min(max(safe, rule.minimum.nanoseconds), rule.maximum.nanoseconds)
    }

}

/// The lead time's figures from the last steps.
package struct LeadTimeRecord {
    private static let capacity = 16
    /// Less than this says nothing about speed.
    private static let leastBytes = 1 << 20
    /// The most nanoseconds of a step that count as latency: that of a few calls in turn.
    private static let mostLatency = 50_000_000
    /// Who takes longer hangs, and shows nothing of how long caches take.
    private static let longestAnswer = Duration.seconds(2)
    private var responses = [Int](repeating: 0, count: capacity)
    private var count = 0
    /// Indicates whether nobody gave in the last step.
    private var isLastEmpty = false
    package private(set) var leadTime = LeadTime()

    package init() {}

    package mutating func note(response: Duration, givenBytes: Int, in time: Duration) {
        var latency = 0
        isLastEmpty = givenBytes == 0
        if givenBytes >= Self.leastBytes, time > .zero { latency = noteSpeed(givenBytes, in: Double(time.nanoseconds)) }
        responses[count % Self.capacity] = max(1, Int(response.nanoseconds).addingSaturating(latency))
        count += 1
        leadTime.responseNanoseconds = Self.exceededByATenth(responses[..<min(count, Self.capacity)])
    }

    /// A cache gave so many bytes after the step that asked for them. If nobody gave in that step, the answer tells how long caches take.
    package mutating func noteLate(givenBytes: Int, in time: Duration) {
        guard isLastEmpty, givenBytes >= Self.leastBytes, time > .zero, time <= Self.longestAnswer else { return }
        note(response: .zero, givenBytes: givenBytes, in: time)
    }

    /// Returns the part of the time that is latency. A step that took a little longer than its bytes should says nothing about speed: more
    /// bytes would take longer by as much, and not by as many times.
    private mutating func noteSpeed(_ bytes: Int, in nanoseconds: Double) -> Int {
        let isKnown = leadTime.bytesPerSecond > 0
        let known = isKnown ? leadTime.bytesPerSecond : LeadTime.assumedBytesPerSecond
        let rate = Int(saturating: Double(bytes) / nanoseconds * 1e9)
        leadTime.bytesPerSecond = known
        if rate >= known {
            leadTime.bytesPerSecond = isKnown ? known / 2 + rate / 2 : rate
            return 0
        }
        let excess = Int(saturating: nanoseconds - Double(bytes) / Double(known) * 1e9)
        if excess <= Self.mostLatency { return excess }
        leadTime.bytesPerSecond = max(1, rate)
        return 0
    }

    private static func exceededByATenth(_ values: ArraySlice<Int>) -> Int {
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, sorted.count * 9 / 10)]
    }
}

/// The headroom that growth needs for caches to give in time. Warning's entry is required besides, whatever grows.
struct RequiredHeadroom: Equatable {
    /// Bytes of headroom that growth alone needs: what comes within the lead time, and critical's entry.
    var byGrowth = 0
    /// Bytes of headroom from which on growth does not make the level critical any more: with twice the lead time, and
    /// critical's exit.
    var exit = 0
    /// Nanoseconds from the decision to memory.
    var leadNanoseconds: Int64 = 0

    init() {}

    init(
        headroomBytes: Int, thresholds: HeadroomThresholds, growth: UnmanagedGrowth, leadTime: LeadTime,
        configuration: ManagerConfiguration
    ) {
        let interval = configuration.sampling.fullReadingInterval.nanoseconds
        let rule = configuration.leadTime
        // How long it takes depends on how much is asked for, and that on how long it takes.
        var ask = 0
        for _ in 0..<3 {
            leadNanoseconds = leadTime.nanoseconds(toGive: ask, interval: interval, rule)
            byGrowth = growth.mostBytes(within: leadNanoseconds).addingSaturating(thresholds.criticalEntry)
            ask = max(0, byGrowth.subtractingSaturating(headroomBytes))
        }
        exit = growth.mostBytes(within: leadNanoseconds * 2).addingSaturating(thresholds.criticalExit)
    }
}

extension ManagerConfiguration {
    /// The settings for how early caches are asked.
    public var leadTime: LeadTimeRule {
        get { ruleSettings[LeadTimeRule.self] }
        set { ruleSettings[LeadTimeRule.self] = newValue }
    }

    /// The settings for the lead time: the time from the decision to ask the caches until they have given the memory.
    ///
    /// The time is measured: the interval between readings, the time to the first call of a cache with its latency, and the bytes asked
    /// for ÷ the speed of the last steps. Before the first step 5 ms and 512 MiB a second are assumed.
    public struct LeadTimeRule: Sendable, Equatable {
        /// The measured time is multiplied by this, in percent. 100…1000, default 200.
        ///
        /// Why: The measured time is that of past steps: the next one may take twice as long.
        public var safetyPercent = 200
        /// The shortest lead time. 1 ms…1 h, default 50 ms.
        ///
        /// Why: Five full readings: fewer are no trend.
        public var minimum = Duration.milliseconds(50)
        /// The longest lead time, at least `minimum`. Default 2 s.
        ///
        /// Why: Caches that take longer are asked at the thresholds, before they are needed.
        public var maximum = Duration.seconds(2)

        package init() {}
    }
}

extension ManagerConfiguration.LeadTimeRule: RuleSettings, ConfigurationPart {
    static let standard = Self()
    static let settings: [ManagerSetting] = [
        .integer("leadTime.safetyPercent", \.leadTime.safetyPercent, 100...1000),
        .duration("leadTime.minimum", \.leadTime.minimum, from: .milliseconds(1)),
        .duration("leadTime.maximum", \.leadTime.maximum, from: .milliseconds(1)),
    ]

    func checkOrder(_ findings: inout ConfigurationFindings) {
        findings.atLeast("leadTime.maximum", maximum, "leadTime.minimum", minimum)
    }
}
