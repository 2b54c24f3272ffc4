import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy
@testable import PurgeableCaches

struct ReclaimMeasurementTests {
    /// A step of 100 ms in which two caches gave, by what they report, and the footprint fell by so many MiB while the rest grew by
    /// `growth` MiB a second, or before the step by `growthBefore`.
    private func measured(given: [Int], returned: Int, growth: Int, growthBefore: Int = 0) -> ReclaimMeasurement {
        let facts = given.indices.map {
            ClientFacts(id: UInt64($0), priority: .normal, traits: [], bytes: given[$0] * mebibyte)
        }
        let target = given.reduce(0, +) * mebibyte
        let demand = ReclaimDemand(
            level: .warning,
            reason: LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .bytes, cause: .sampler),
            targetBytes: target, missingBytes: target, growthRate: growthBefore * mebibyte, step: 1,
            limitBytes: 1 << 30, isUrgent: false,
            decidedAt: .seconds(0))
        var run = ReclaimRun(
            number: 1, kind: .step, demand: demand, plan: ReclaimOrder.plan(facts, targetBytes: target),
            sizes: Dictionary(uniqueKeysWithValues: facts.map { ($0.id, $0.bytes) }), callDeadline: .seconds(1),
            trimsFirst: false)
        while true {
            switch run.next(shouldTrimLast: false, at: .seconds(0)) {
            case .limit(let id, let client, _):
                run.answered(id, of: client, promisedBytes: 0, freedBytes: nil, error: nil, at: .seconds(0))
            case .release(let id, let client, let request):
                run.answered(
                    id, of: client, promisedBytes: request.bytes, freedBytes: nil, error: nil, at: .seconds(0))
            default:
                let before = reading(headroom: 100 * mebibyte, at: 0, footprint: 400 * mebibyte)
                let after = reading(
                    headroom: (100 + returned) * mebibyte, at: 0.1, footprint: (400 - returned) * mebibyte)
                return ReclaimMeasurement(
                    run: run, before: before, after: after, managedBefore: target, managedAfter: 0,
                    growthRate: growth * mebibyte, end: .seconds(0.1), retainedBytes: 0,
                    falls: Dictionary(uniqueKeysWithValues: facts.map { ($0.id, $0.bytes) }))
            }
        }
    }

    @Test("What growth hides of a step is blamed on nobody, however little a cache was asked for")
    func hiddenByGrowth() {
        // 54 and 5 were given, and the rest grew by the 5 that are missing.
        let measured = measured(given: [54, 5], returned: 54, growth: 50)
        #expect(measured.mostReturned(of: 1, unmapping: []) >= 5 * mebibyte)
        #expect(measured.mostReturned(of: 0, unmapping: []) >= 54 * mebibyte)
    }

    @Test("Growth that has ended in the step hides as much of it")
    func hiddenByGrowthThatEnded() {
        let measured = measured(given: [54], returned: 0, growth: 0, growthBefore: 540)
        #expect(measured.hiddenBytes == 54 * mebibyte)
        #expect(measured.isDisturbed)
    }

    @Test("A cache that gave nothing beside one that gave is found out where nothing grew")
    func empty() {
        let measured = measured(given: [54, 5], returned: 54, growth: 0)
        #expect(measured.mostReturned(of: 1, unmapping: []) == 0)
    }
}
