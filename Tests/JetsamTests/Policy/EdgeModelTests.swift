import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

/// Caches under demand at a limit, for simulated minutes: level, steps and regrowth together, as the governor has them, without
/// threads.
struct EdgeModelTests {
    fileprivate struct Model {
        static let limitBytes = 512 * mebibyte
        static let thresholds = HeadroomThresholds(limitBytes: limitBytes, rule: .init())

        struct Cache {
            var bytes = 0
            var limitBytes: Int?
            /// What it would take in, in bytes a second.
            var demand: Int
            /// It grows by whole segments, and so beyond its limit by less than one.
            var segmentBytes: Int
            var rebuildCost: Double?
        }

        var caches: [Cache]
        var unmanagedBytes: Int
        private(set) var now = 0.0
        private(set) var level = PressureLevel.normal
        /// When the level changed, and to what.
        private(set) var changes: [(at: Double, level: PressureLevel)] = []
        /// When a step asked for bytes, and for how many.
        private(set) var steps: [(at: Double, bytes: Int)] = []
        private var judgement = Judgement(configuration: .init())
        private var machine = LevelMachine(timing: .init())
        private var scheduler = StepScheduler(configuration: .init())
        private var regrowth = Regrowth(configuration: .init())

        init(caches: [Cache], unmanagedBytes: Int) {
            self.caches = caches
            self.unmanagedBytes = unmanagedBytes
        }

        var managedBytes: Int { caches.reduce(0) { $0 + $1.bytes } }
        var headroomBytes: Int { Self.limitBytes - unmanagedBytes - managedBytes }

        private var facts: [ClientFacts] {
            caches.indices.map { index in
                ClientFacts(
                    id: UInt64(index), priority: .normal, traits: [], rebuildCost: caches[index].rebuildCost,
                    bytes: caches[index].bytes, limitBytes: caches[index].limitBytes)
            }
        }

        mutating func advance(by seconds: Double) {
            let end = now + seconds
            while now < end - 1e-9 { look(after: min(end - now, interval)) }
        }

        /// While no limit holds the caches, readings have to be as close as the sampler's.
        private var interval: Double {
            guard !scheduler.areLimitsSet else { return .infinity }
            let interval = SamplingPace(configuration: .init()).interval(
                after: reading(headroom: max(0, headroomBytes)), thresholds: Self.thresholds, level: level,
                isCoveredByKernel: false)
            return Double(interval.nanoseconds) * 1e-9
        }

        private mutating func look(after seconds: Double) {
            now += seconds
            for index in caches.indices { caches[index].grow(seconds) }
            let reading = reading(headroom: max(0, headroomBytes), at: now)
            let context = RuleContext(
                reading: reading, thresholds: Self.thresholds, managedBytes: managedBytes, cause: .sampler)
            let vote = judgement.judge(context)
            if case .changed = machine.handle(vote, cause: .sampler, at: reading.instant) {
                level = machine.level
                changes.append((now, level))
            }
            if let reason = machine.reason,
                let demand = scheduler.next(
                    ReclaimContext(
                        reading: reading, thresholds: Self.thresholds, level: level, reason: reason, vote: vote,
                        required: judgement.required, millisecondsToLimit: judgement.millisecondsToLimit,
                        purgeableBytes: managedBytes, inFlightBytes: 0))
            {
                carryOut(demand)
            }
            guard scheduler.areLimitsSet else { return }
            let decision = regrowth.next(
                reading: reading, thresholds: Self.thresholds, level: level,
                growthRate: judgement.growth.bytesPerSecond,
                required: judgement.required.byGrowth, rise: judgement.growth.rise.largest)
            switch decision.map({ Regrowth.change($0, for: facts) }) {
            case nil, .hold: break
            case .lift:
                for index in caches.indices { caches[index].limitBytes = nil }
                scheduler.limitsWereLifted()
            case .raise(let bytes):
                for change in Regrowth.limits(facts, bytes: bytes) {
                    caches[Int(change.id)].limitBytes = change.limitBytes
                }
            }
        }

        private mutating func carryOut(_ demand: ReclaimDemand) {
            var promised = 0
            for part in ReclaimOrder.plan(facts, targetBytes: demand.targetBytes) {
                if case .set(let bytes) = part.limit { caches[Int(part.id)].limitBytes = bytes }
                promised += caches[Int(part.id)].give(part.askBytes)
            }
            if promised > 0 { steps.append((now, promised)) }
            scheduler.stepEnded(demand.step, promisedBytes: promised, at: .seconds(now))
        }
    }

    /// What is known to vary from one process to the next, made up from a seed.
    private func model(_ generator: inout SeededGenerator) -> Model {
        let caches = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            Model.Cache(
                demand: Int.random(in: 5...200, using: &generator) * mebibyte,
                segmentBytes: [1, 16 << 10, 64 << 10, mebibyte].randomElement(using: &generator)!,
                rebuildCost: Bool.random(using: &generator) ? 1 : nil)
        }
        return Model(caches: caches, unmanagedBytes: Int.random(in: 60...180, using: &generator) * mebibyte)
    }

    private static let edge = Model.thresholds
    /// Each is a quarter of an hour of simulated time, and all of a batch would take longer than they tell.
    private func some(of batch: ClosedRange<UInt64>) -> ClosedRange<UInt64>.SubSequence {
        batch.prefix(max(3, batch.count / 10))
    }

    @Test(
        "Under constant demand caches sit at the edge: the level stays normal, and releases are few",
        arguments: seedBatches)
    func constantDemand(batch: ClosedRange<UInt64>) {
        for seed in some(of: batch) {
            var generator = SeededGenerator(seed: seed)
            var model = model(&generator)
            let unmanaged = model.unmanagedBytes
            // Connections come and go beside the caches.
            let noise = Int.random(in: 0...6, using: &generator) * mebibyte
            let minutes = 10
            var lowest = Int.max
            var highest = 0
            for tick in 0..<(minutes * 600) {
                if tick % 10 == 0, noise > 0 {
                    model.unmanagedBytes = unmanaged + Int.random(in: 0...noise, using: &generator)
                }
                model.advance(by: 0.1)
                guard model.now > 120, model.level == .normal else { continue }
                lowest = min(lowest, model.headroomBytes)
                highest = max(highest, model.headroomBytes)
            }
            let settled = model.changes.filter { $0.at > 120 }
            #expect(settled.count <= 4, "seed \(seed): the level alternates: \(settled)")
            #expect(model.changes.allSatisfy { $0.level < .critical }, "seed \(seed)")
            let steps = model.steps.filter { $0.at > 60 }
            #expect(steps.count <= minutes - 1, "seed \(seed): \(steps)")
            #expect(lowest < .max, "seed \(seed): it never is normal")
            #expect(lowest >= Self.edge.warningEntry, "seed \(seed)")
            // After a release there is a little more than warning's exit, and the noise.
            let band = Self.edge.warningExit + (Self.edge.warningExit - Self.edge.warningEntry) / 4 + 2 * noise
            #expect(highest <= band, "seed \(seed): \(highest >> 20) MiB of headroom, \(band >> 20) at most")
        }
    }

    @Test(
        "As unmanaged memory grows slowly caches make room in few steps; when it falls they grow back to the edge, and stay",
        arguments: seedBatches)
    func slowGrowthThenFall(batch: ClosedRange<UInt64>) {
        for seed in some(of: batch) {
            var generator = SeededGenerator(seed: seed)
            var model = model(&generator)
            let unmanaged = model.unmanagedBytes
            for _ in 0..<1200 { model.advance(by: 0.1) }
            let before = model.managedBytes
            let stepsBefore = model.steps.count

            let growth = Int.random(in: 40...100, using: &generator) * mebibyte
            for tick in 1...1800 {
                model.unmanagedBytes = unmanaged + growth / 1800 * tick
                model.advance(by: 0.1)
            }
            let distance = Self.edge.warningExit - Self.edge.warningEntry
            let steps = model.steps.count - stepsBefore
            #expect(steps <= growth / distance + 3, "seed \(seed): \(steps) steps for \(growth >> 20) MiB")
            #expect(model.changes.allSatisfy { $0.level < .critical }, "seed \(seed)")
            #expect(model.headroomBytes >= Self.edge.warningEntry - distance, "seed \(seed)")

            model.unmanagedBytes = unmanaged
            let stepsAfter = model.steps.count
            var fastest = 0
            for _ in 0..<6000 {
                let managed = model.managedBytes
                model.advance(by: 0.1)
                fastest = max(fastest, model.managedBytes - managed)
            }
            #expect(model.level == .normal, "seed \(seed)")
            #expect(model.steps.count - stepsAfter <= 3, "seed \(seed)")
            // A tenth of the spare headroom a second, of which there are never more than 200 MiB here, and a segment each.
            #expect(fastest <= 24 * mebibyte + 4 * mebibyte, "seed \(seed): \(fastest >> 20) MiB at once")
            #expect(model.managedBytes >= before - 2 * distance, "seed \(seed): they have not grown back")
            #expect(model.headroomBytes >= Self.edge.warningEntry, "seed \(seed)")
        }
    }
}

extension EdgeModelTests.Model.Cache {
    fileprivate mutating func grow(_ seconds: Double) {
        let wanted = bytes + Int(Double(demand) * seconds)
        guard let limitBytes else { return bytes = wanted }
        let segments = (max(0, limitBytes) + segmentBytes - 1) / segmentBytes
        bytes = max(bytes, min(wanted, segments * segmentBytes))
    }

    /// Gives whole segments, and so up to one more than it is asked for.
    fileprivate mutating func give(_ asked: Int) -> Int {
        guard asked > 0 else { return 0 }
        let given = min(bytes, (asked + segmentBytes - 1) / segmentBytes * segmentBytes)
        bytes -= given
        return given
    }
}
