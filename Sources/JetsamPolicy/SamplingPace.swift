package import MemoryPressure

/// The time that the sampler may sleep after a reading.
///
/// If memory grows at the maximum rate from the instant of this reading, the next reading comes before headroom has fallen below
/// critical's entry. If headroom is below that already, the next reading comes before half of what is left is gone.
package struct SamplingPace {
    package let configuration: ManagerConfiguration.Sampling

    /// Above normal the fall, the stall window and the spacing of steps want to be looked at at least this often.
    package static let pressedInterval = Duration.milliseconds(100)
    /// The shortest sleep at critical if nobody has anything to give: there is no higher level to announce, and nobody to ask.
    package static let vainInterval = Duration.milliseconds(25)

    package func interval(
        after reading: MemoryReading, thresholds: HeadroomThresholds, level: PressureLevel, isCoveredByKernel: Bool
    ) -> Duration {
        let ceiling =
            level == .normal ? configuration.maximumInterval : min(configuration.maximumInterval, Self.pressedInterval)
        if isCoveredByKernel, level == .normal { return ceiling }
        let distance = max(reading.headroomBytes - thresholds.criticalEntry, reading.headroomBytes / 2)
        let nanoseconds = Double(distance) / Double(configuration.maximumGrowthRate) * 1e9
        return max(configuration.minimumInterval, min(.nanoseconds(Int64(nanoseconds)), ceiling))
    }
}
