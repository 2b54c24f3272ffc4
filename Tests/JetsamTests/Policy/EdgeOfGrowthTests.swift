import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

@Suite("Caches that grow towards a warning")
struct EdgeOfGrowthTests {
    private struct Hold {
        var bytes: Int
        var headroomBytes: Int
        /// The readings until then.
        var readings: Int
        /// The shortest sleep that was asked for.
        var shortestInterval: Duration
    }

    private static let limitBytes = 512 * mebibyte
    /// The headroom that limits leave: a little more than warning's exit.
    private static let edge = StepScheduler.wantedHeadroom(HeadroomThresholds(limitBytes: limitBytes, rule: .init()))

    /// Caches that grow by `rate` MiB a second, beside others that grow by `others`, seen when the sampler asks for it. The kernel
    /// watches the threshold, so the sampler may sleep for two seconds.
    private func grow(
        rate: Double, others: Double = 0, _ configuration: ManagerConfiguration = ManagerConfiguration()
    ) -> Hold? {
        var decider = Decider(Decider.Setup(configuration: configuration))
        var seconds = 0.0
        var shortest = Duration.seconds(2)
        for count in 1...100 {
            let headroom = 450 - (rate + others) * seconds
            var observation = Decider.Observation()
            observation.reading = reading(
                headroom: Int(headroom * Double(mebibyte)), limit: Self.limitBytes, at: seconds,
                footprint: Int((50 + rate * seconds) * Double(mebibyte)))
            observation.reportedBytes = Int(rate * seconds * Double(mebibyte))
            observation.isCoveredByKernel = true
            let decision = decider.decide(&observation, victims: { Decider.Victims() })
            guard decision.level == .normal else { return nil }
            shortest = min(shortest, decision.interval)
            if let bytes = decision.holdBytes {
                return Hold(
                    bytes: bytes, headroomBytes: observation.reading.headroomBytes, readings: count,
                    shortestInterval: shortest)
            }
            seconds += Double(decision.interval.nanoseconds) / 1e9
        }
        return nil
    }

    @Test("Limits are set half a second before the edge, as others may grow meanwhile", arguments: [8.0, 36, 90])
    func late(rate: Double) throws {
        let hold = try #require(grow(rate: rate))
        #expect(hold.headroomBytes - Self.edge <= Int(rate / 2 * Double(mebibyte)))
        #expect(hold.headroomBytes >= Self.edge)
        #expect(abs(hold.bytes - (hold.headroomBytes - Self.edge)) <= 1)
        #expect(hold.readings < 30)
    }

    @Test("Readings come no closer than the configuration allows, and limits in time for that")
    func minimum() throws {
        var configuration = ManagerConfiguration()
        configuration.sampling.minimumInterval = .seconds(1)
        let hold = try #require(grow(rate: 20, configuration))
        #expect(hold.shortestInterval >= .seconds(1))
        #expect(hold.headroomBytes >= Self.edge)
        #expect(hold.headroomBytes - Self.edge <= 2 * 20 * mebibyte)
    }

    @Test("The room is divided by how fast they and the others grow")
    func shared() throws {
        let hold = try #require(grow(rate: 24, others: 8))
        let room = hold.headroomBytes - Self.edge
        #expect(room > 0)
        #expect(abs(hold.bytes - room * 3 / 4) < mebibyte)
    }
}
