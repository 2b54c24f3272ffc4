import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

/// What the suites of the step scheduler make and compare.
protocol StepSchedulerSuite {}

extension StepSchedulerSuite {
    func context(
        headroom: Int, level: PressureLevel, rule: PressureRule = .headroom, at seconds: Double = 0,
        purgeable: Int = 300,
        footprint: Int? = nil, byGrowth: Int = 0, time: Int? = nil, inFlight: Int = 0, vote: PressureLevel? = nil,
        atOnce: Int? = nil, observed: Int = 0
    ) -> ReclaimContext {
        let reading = reading(
            headroom: headroom * mebibyte, at: seconds, footprint: footprint.map { $0 * mebibyte })
        let thresholds = HeadroomThresholds(limitBytes: reading.limitBytes, rule: .init())
        var required = RequiredHeadroom()
        required.byGrowth = byGrowth * mebibyte
        return ReclaimContext(
            reading: reading, thresholds: thresholds, level: level,
            reason: LevelReason(rule: rule, observed: 0, threshold: 0, unit: .none, cause: .sampler),
            vote: Vote(rule: rule, level: vote ?? level, observed: observed, threshold: 0, unit: .none),
            required: required, millisecondsToLimit: time, millisecondsAtOnce: atOnce,
            purgeableBytes: purgeable * mebibyte,
            inFlightBytes: inFlight * mebibyte)
    }

    /// What is asked for, to the nearest MiB.
    func rounded(_ demand: ReclaimDemand) -> Int { (demand.targetBytes + mebibyte / 2) / mebibyte }

    func next(_ scheduler: inout StepScheduler, _ context: ReclaimContext) throws -> ReclaimDemand {
        let demand = scheduler.next(context)
        return try #require(demand)
    }
}
