import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import JetsamPolicy
@testable import JetsamTrace
@testable import PurgeableCaches

/// What releases brought, needed and wasted: in the manager, in its trace, and under another configuration.
struct RecordedReleasesTests {
    /// A cache whose keys are known, as part of the made-up container.
    private final class KnownCache: Sendable {
        private let bytes: Lock<Int>
        private let refetched: RefetchedBytes
        private let registration = Lock<CacheRegistration?>(nil)
        private let fixture: Fixture

        init(bytes: Int, in fixture: Fixture) {
            self.bytes = Lock(bytes)
            self.fixture = fixture
            refetched = fixture.registry.makeRefetchedBytes()
            let registration = fixture.registry.registerValues(
                "known", priority: .normal, rebuildCost: nil, traits: [], scene: nil, refetched: refetched,
                limit: { _ in }, release: { [weak self] in self?.give($0.bytes) ?? 0 })
            self.registration.withLock { $0 = registration }
            registration.update(bytes: bytes)
        }

        private func change(by change: Int) {
            let new = bytes.withLock { bytes in
                bytes += change
                return bytes
            }
            registration.withLock { $0 }?.update(bytes: new)
            fixture.change(used: change)
        }

        private func give(_ wanted: Int) -> Int {
            let given = min(wanted, bytes.withLock { $0 })
            change(by: -given)
            return given
        }

        /// Everything that is missing is put in again.
        func refill(to wanted: Int) {
            let missing = max(0, wanted - bytes.withLock { $0 })
            refetched.add(missing)
            change(by: missing)
        }
    }

    /// Memory becomes short three times, and twice it is there again at once. The last time the cache is small enough.
    private static func record() async throws -> (trace: [UInt8], total: ReleaseAccount.Figures) {
        let file = try TemporaryFile()
        var configuration = ManagerConfiguration()
        configuration.recorder.traceFile = file.path
        let fixture = try Fixture(used: 300 * mebibyte, configuration: configuration)
        let total = try await fixture.run { fixture in
            let cache = KnownCache(bytes: 150 * mebibyte, in: fixture)
            for isShort in [false, true, false] {
                fixture.change(used: 120 * mebibyte)
                for _ in 0..<20 {
                    fixture.machine.advance(by: .milliseconds(100))
                    await fixture.settle()
                }
                if !isShort { fixture.change(used: -120 * mebibyte) }
                fixture.machine.advance(by: .seconds(1))
                cache.refill(to: isShort ? 100 * mebibyte : 150 * mebibyte)
                for _ in 0..<30 {
                    fixture.machine.advance(by: .milliseconds(500))
                    await fixture.settle()
                }
                if isShort { fixture.change(used: -120 * mebibyte) }
            }
            await fixture.toldEverything()
            return fixture.manager.governor.figures.releases.total
        }
        return (try file.read(), total)
    }

    private static func outcome(
        of trace: [UInt8], _ configuration: ManagerConfiguration? = nil
    ) throws -> Trial.Outcome {
        var trial: Trial?
        for line in try TraceText(trace).lines {
            if case .trace(let header) = line.event, trial == nil { trial = Trial(configuration, header: header) }
            trial?.feed(line.event, at: line.instant)
        }
        trial?.finish()
        return try #require(trial).outcome
    }

    @Test("A trace tells what its manager counted, and is decided again byte for byte")
    func recorded() async throws {
        let (trace, total) = try await Self.record()
        #expect(total.episodes == 2)
        #expect(total.releasedBytes > 0 && total.neededBytes > 0 && total.refetchedBytes > 0)
        #expect(String(decoding: trace, as: UTF8.self).contains("\"refetchedBytes\":"))
        let outcome = try Self.outcome(of: trace)
        #expect(outcome.modelBegins == nil)
        #expect(outcome.releases == total)
        let again = try TraceText(trace).replayed()
        #expect(again.differences == 0)
        #expect(again.text == String(decoding: trace, as: UTF8.self))
    }

    @Test("A reading between the record of a step and the account of it does not count as one after it")
    func readingBetween() async throws {
        let (trace, total) = try await Self.record()
        var trial: Trial?
        var reading = ReadingRecord()
        var steps = 0
        for line in try TraceText(trace).lines {
            if case .trace(let header) = line.event, trial == nil { trial = Trial(nil, header: header) }
            if case .reading(let record) = line.event { reading = record }
            trial?.feed(line.event, at: line.instant)
            guard case .step(let record) = line.event, record.cameBackBytes > 0 else { continue }
            steps += 1
            // The caches have given, and what they gave is not free yet.
            var between = reading
            between.reportedBytes = max(0, reading.reportedBytes - record.promisedBytes)
            trial?.feed(.reading(between), at: line.instant)
        }
        trial?.finish()
        #expect(steps > 0)
        #expect(trial?.outcome.modelBegins == nil)
        #expect(trial?.outcome.releases.neededBytes == total.neededBytes)
    }

    @Test(
        "A call of the application's that ends during a step does not end that step where the trial leaves the recorded way"
    )
    func callDuringStep() async throws {
        let (trace, _) = try await Self.record()
        var trial: Trial?
        var brought = 0
        var hasEnded = false
        for line in try TraceText(trace).lines {
            if case .trace(let header) = line.event, trial == nil { trial = Trial(nil, header: header) }
            trial?.feed(line.event, at: line.instant)
            if case .demand = line.event {
                let ended = Decider.Notice.stepEnded(0, promisedBytes: 0, at: line.instant)
                trial?.feed(.notice(NoticeRecord(ended)), at: line.instant)
                // Nothing has decided this.
                trial?.feed(.regrowth(RegrowthRecord()), at: line.instant)
            }
            if case .step(let record) = line.event { brought += record.cameBackBytes }
            if case .notice(let record) = line.event, record.what == .stepEnded { hasEnded = true }
            // What a release brought counts with the first reading after it.
            if hasEnded, case .reading = line.event { break }
        }
        trial?.finish()
        #expect(trial?.outcome.modelBegins != nil)
        #expect(brought > 0)
        #expect(trial?.outcome.releases.releasedBytes == brought)
    }

    @Test("A configuration that releases sooner releases and wastes more, by the model")
    func sooner() async throws {
        let (trace, total) = try await Self.record()
        var configuration = ManagerConfiguration()
        configuration.headroom.warningPercent = 45
        configuration.headroom.criticalPercent = 40
        let outcome = try Self.outcome(of: trace, configuration)
        #expect(outcome.modelBegins != nil)
        #expect(outcome.releases.releasedBytes > total.releasedBytes)
        #expect(outcome.releases.wastedBytes > total.wastedBytes)
        #expect(outcome.releases.wastedShare <= 1)
    }

    @Test(
        "Of what a trial's caches grow, as large a part was fetched again as of the recorded ones' growth after releases"
    )
    func share() {
        var model = ModelledRefetches()
        func reading(_ caches: Int, _ refetched: Int) -> ReadingRecord {
            var record = ReadingRecord()
            (record.reportedBytes, record.refetchedBytes) = (caches, refetched)
            return record
        }
        model.note(reading(1000, 0), at: .seconds(0))
        #expect(model.follow(1000, recordedBytes: 0, isModel: false) == 0)
        // Growth that follows no release says nothing of what releases cost.
        model.note(reading(2000, 0), at: .seconds(1))
        model.released(at: .seconds(2))
        model.note(reading(1600, 0), at: .seconds(2))
        model.note(reading(2000, 100), at: .seconds(3))
        #expect(model.follow(2000, recordedBytes: 100, isModel: false) == 100)
        model.note(reading(3000, 900), at: .seconds(13))
        // A quarter: 100 of 400.
        #expect(model.follow(2400, recordedBytes: 900, isModel: true) == 200)
        #expect(model.follow(1000, recordedBytes: 900, isModel: true) == 200)
        #expect(model.follow(1040, recordedBytes: 900, isModel: true) == 210)

        var unknown = ModelledRefetches()
        #expect(unknown.follow(1000, recordedBytes: 0, isModel: false) == 0)
        #expect(unknown.follow(1300, recordedBytes: 0, isModel: true) == 300)
    }
}
