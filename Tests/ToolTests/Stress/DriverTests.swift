import CommandOutput
import MemoryPressure
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

/// Time that only sleeping moves.
private final class SleptTime: MonotonicClock {
    private let nanoseconds = Lock<Int64>(1_000_000)

    var now: MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds.withLock { $0 }) }

    func sleep(until instant: MonotonicInstant) {
        nanoseconds.withLock { $0 = max($0, instant.nanoseconds) }
    }

    func advance(by duration: Duration) {
        nanoseconds.withLock { $0 += duration.nanoseconds }
    }
}

/// Takes nothing, and writes down when it was asked for what.
private final class RecordingLoad: Load {
    let time: SleptTime
    let start: MonotonicInstant
    var heldBytes = 0
    var history: [(at: Duration, held: Int)] = []
    var stallAtBytes: Int?

    init(_ time: SleptTime) {
        self.time = time
        start = time.now
    }

    func grow(bytes: Int) {
        heldBytes += bytes
        if let stall = stallAtBytes, heldBytes >= stall {
            stallAtBytes = nil
            time.advance(by: .milliseconds(300))
        }
        record()
    }

    func giveBack(bytes: Int) {
        heldBytes -= bytes
        record()
    }

    func walk(bytes: Int) {
        time.advance(by: .milliseconds(1))
    }

    private func record() {
        history.append((start.duration(to: time.now), heldBytes))
    }
}

@Suite struct DriverTests {
    private let time = SleptTime()

    private func run(
        _ plan: Plan, on load: RecordingLoad, say: @escaping (String) -> Void = { _ in }
    ) throws -> Driver.Outcome {
        var driver = Driver(
            clock: time, sleep: time.sleep(until:), progress: ProgressReport(isOn: true, from: time.now, write: say)
        )
        return try driver.run(plan, on: load)
    }

    @Test("A ramp keeps its rate to a step, holds, and takes as long as it should")
    func ramp() throws {
        let load = RecordingLoad(time)
        let rate = 100_000_000
        let plan = Plan(
            .init(pattern: .ramp, limitBytes: 50_000_000, rate: Rate(bytesPerSecond: rate), hold: .seconds(2))
        )
        let outcome = try run(plan, on: load)
        for (at, held) in load.history {
            let due = at.inSeconds * Double(rate)
            #expect(Double(held) >= due - 1 && Double(held) <= due + 102_400)
        }
        #expect(outcome.takenBytes == 50_000_000 && outcome.peakBytes == 50_000_000 && outcome.heldBytes == 50_000_000)
        #expect(outcome.end == .finished)
        #expect(abs(outcome.elapsed.inSeconds - 2.5) < 1e-6)
    }

    @Test("Time lost in a stall is caught up, so that the whole takes no longer")
    func stall() throws {
        let load = RecordingLoad(time)
        load.stallAtBytes = 20_000_000
        let plan = Plan(phases: [.move(toBytes: 100_000_000, rate: Rate(bytesPerSecond: 100_000_000))])
        let outcome = try run(plan, on: load)
        #expect(abs(outcome.elapsed.inSeconds - 1) < 1e-6)
    }

    @Test("A sawtooth goes up and down between nothing and the limit until the duration is up")
    func sawtooth() throws {
        let load = RecordingLoad(time)
        let plan = Plan(
            .init(
                pattern: .sawtooth, limitBytes: 1_000_000, rate: Rate(bytesPerSecond: 1_000_000), duration: .seconds(7)
            )
        )
        let outcome = try run(plan, on: load)
        #expect(load.history.map(\.held).max() == 1_000_000)
        #expect(load.history.count { $0.held == 0 } == 3)
        #expect(load.history.count { $0.held == 1_000_000 } >= 3)
        #expect(outcome.rounds == 3 && outcome.end == .duration)
        #expect(outcome.elapsed == .seconds(7))
    }

    @Test("Waves go up and down and rest at nothing, until the duration is up")
    func waves() throws {
        let load = RecordingLoad(time)
        let plan = Plan(
            .init(
                pattern: .waves, limitBytes: 1_000_000, rate: Rate(bytesPerSecond: 1_000_000), hold: .seconds(3),
                duration: .seconds(9.5)
            )
        )
        let outcome = try run(plan, on: load)
        #expect(load.history.filter { $0.held == 1_000_000 }.map { $0.at.inSeconds.rounded() } == [1, 6])
        #expect(load.history.filter { $0.held == 0 }.map { $0.at.inSeconds.rounded() } == [2, 7])
        #expect(outcome.rounds == 1 && outcome.heldBytes == 0)
    }

    @Test("A leak grows slowly, stops at the limit and lasts until the duration is up")
    func leak() throws {
        let load = RecordingLoad(time)
        let outcome = try run(Plan(.init(pattern: .leak, limitBytes: 4_000_000, duration: .seconds(9))), on: load)
        #expect(outcome.peakBytes == 4_000_000 && outcome.elapsed == .seconds(9))
        let half = try #require(load.history.last { $0.at <= .seconds(2) })
        #expect(abs(half.held - 2_000_000) <= 4096)
    }

    @Test("A spike waits, then takes everything at one instant")
    func spike() throws {
        let load = RecordingLoad(time)
        let outcome = try run(Plan(.init(pattern: .spike, limitBytes: 64 << 20, delay: .seconds(3))), on: load)
        #expect(load.history.allSatisfy { $0.at == .seconds(3) })
        #expect(outcome.peakBytes == 64 << 20)
    }

    @Test("Reading over and over ends with the duration")
    func walk() throws {
        let outcome = try run(Plan(phases: [.walk], duration: .seconds(2)), on: RecordingLoad(time))
        #expect(outcome.end == .duration && outcome.elapsed == .seconds(2))
    }

    @Test("The duration ends a move that would never get there, and a hold")
    func durationEnds() throws {
        let slow = Phase.move(toBytes: 1 << 30, rate: Rate(bytesPerSecond: 1000))
        #expect(try run(Plan(phases: [slow], duration: .seconds(3)), on: RecordingLoad(time)).elapsed == .seconds(3))
        let hold = Phase.hold(.seconds(100))
        #expect(try run(Plan(phases: [hold], duration: .seconds(3)), on: RecordingLoad(time)).elapsed == .seconds(3))
    }

    @Test("Progress is said once a second: what, how much is held, how long is left")
    func progress() throws {
        var lines: [String] = []
        let plan = Plan(
            .init(pattern: .ramp, limitBytes: 2 << 20, rate: Rate(bytesPerSecond: 1 << 20), hold: .milliseconds(1500))
        )
        _ = try run(plan, on: RecordingLoad(time)) { lines.append($0) }
        #expect(lines.count == 3)
        #expect(lines.first?.contains("taking, 1 MiB held, 2.5 s left") == true)
        #expect(lines.last?.contains("holding, 2 MiB held, 500 ms left") == true)
    }
}
