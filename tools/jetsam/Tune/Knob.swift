internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A setting that the search turns.
struct Knob {
    private let range: ClosedRange<Double>
    private let get: @Sendable (ManagerConfiguration) -> Double
    private let set: @Sendable (inout ManagerConfiguration, Double) -> Void

    private static let second = 1e9

    /// Thresholds and steps. Deadlines and delays of callbacks are no matter of thresholds, and sampling cannot be tried on
    /// readings that were taken already.
    static let all: [Knob] = [
        Knob(range: 4...40) {
            Double($0.headroom.warningPercent)
        } set: {
            $0.headroom.warningPercent = Int($1)
        },
        Knob(range: 2...25) {
            Double($0.headroom.criticalPercent)
        } set: {
            $0.headroom.criticalPercent = Int($1)
        },
        Knob(range: 1...12) {
            Double($0.headroom.exitPoints)
        } set: {
            $0.headroom.exitPoints = Int($1)
        },
        Knob(range: 1...60) {
            Double($0.timeToLimit.warning.nanoseconds) / second
        } set: {
            $0.timeToLimit.warning = tenths($1)
            $0.timeToLimit.warningExit = tenths($1 * 2)
        },
        Knob(range: 100...600) {
            Double($0.leadTime.safetyPercent)
        } set: {
            $0.leadTime.safetyPercent = Int($1)
        },
        Knob(range: 2...40) {
            Double($0.reclaim.sharePercent)
        } set: {
            $0.reclaim.sharePercent = Int($1)
        },
        Knob(range: 0.1...2) {
            Double($0.reclaim.warningSpacing.nanoseconds) / second
        } set: {
            $0.reclaim.warningSpacing = tenths($1)
        },
        Knob(range: 1...10) {
            Double($0.level.warningFallDelay.nanoseconds) / second
        } set: {
            $0.level.warningFallDelay = tenths($1)
        },
    ]

    /// A configuration anywhere in the ranges; one that contradicts itself is made anew.
    static func random(
        from base: ManagerConfiguration, _ random: inout SplitMix
    ) -> ManagerConfiguration {
        attempt(base) { knob, _ in
            // Evenly in the logarithm: from 4 to 8 percent is as far as from 20 to 40.
            let low = log2(knob.range.lowerBound)
            let high = log2(knob.range.upperBound)
            return exp2(.random(in: low...high, using: &random))
        }
    }

    /// One near another: some of its settings are moved, by at most `reach` of their range.
    static func neighbour(
        of base: ManagerConfiguration, reach: Double, _ random: inout SplitMix
    ) -> ManagerConfiguration {
        attempt(base) { knob, value in
            guard Bool.random(using: &random) else { return value }
            let distance = (log2(knob.range.upperBound) - log2(knob.range.lowerBound)) * reach
            return exp2(log2(max(value, knob.range.lowerBound)) + .random(in: -distance...distance, using: &random))
        }
    }

    private static func attempt(
        _ base: ManagerConfiguration, _ choose: (Knob, Double) -> Double
    ) -> ManagerConfiguration {
        for _ in 0..<100 {
            var configuration = base
            for knob in all {
                let value = choose(knob, knob.get(base))
                knob.set(&configuration, min(max(value, knob.range.lowerBound), knob.range.upperBound))
            }
            if (try? configuration.validate()) != nil { return configuration }
        }
        return base
    }

    private static func tenths(_ seconds: Double) -> Duration {
        .milliseconds(Int64((seconds * 10).rounded()) * 100)
    }
}
