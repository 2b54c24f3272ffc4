import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct LevelMachineTests {
    private func vote(_ level: PressureLevel) -> Vote {
        Vote(rule: .headroom, level: level, observed: 1, threshold: 2, unit: .bytes)
    }

    @Test("The level rises at once, over more than one step if need be")
    func risesAtOnce() {
        var machine = LevelMachine(timing: .init())
        let outcome = machine.handle(vote(.critical), cause: .sampler, at: .seconds(1))
        #expect(machine.level == .critical)
        #expect(outcome == .changed(from: .normal, reason: vote(.critical).reason(.sampler)))
    }

    @Test("It falls a step at a time, each after its own delay")
    func fallsInSteps() {
        var machine = LevelMachine(timing: .init())
        _ = machine.handle(vote(.critical), cause: .sampler, at: .seconds(0))
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(1))
        #expect(machine.fallsAt == .seconds(3))
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(2.9))
        #expect(machine.level == .critical)
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(3))
        #expect(machine.level == .warning)
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(7.9))
        #expect(machine.level == .warning)
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(8))
        #expect(machine.level == .normal)
    }

    @Test("A fall names the rule that called before, unless another vote holds the level where it falls to")
    func namesWhatEnded() {
        func footprint(_ level: PressureLevel) -> Vote {
            Vote(rule: .footprint, level: level, observed: 3, threshold: 2, unit: .bytes)
        }
        var machine = LevelMachine(timing: .init())
        _ = machine.handle(footprint(.critical), cause: .sampler, at: .seconds(0))
        #expect(machine.ended == nil)
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(1))
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(3))
        #expect(machine.level == .warning && machine.ended == .footprint)
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(8))
        #expect(machine.level == .normal && machine.ended == .footprint)
        #expect(machine.reason?.text(after: machine.ended).hasPrefix("footprint calls no more; headroom 1 B") == true)
        _ = machine.handle(vote(.critical), cause: .sampler, at: .seconds(9))
        #expect(machine.ended == nil)
        _ = machine.handle(footprint(.warning), cause: .sampler, at: .seconds(10))
        _ = machine.handle(footprint(.warning), cause: .sampler, at: .seconds(12))
        #expect(machine.level == .warning && machine.reason?.rule == .footprint && machine.ended == nil)
    }

    @Test("A vote at the level starts the fall's delay anew")
    func delayStartsAnew() {
        var machine = LevelMachine(timing: .init())
        _ = machine.handle(vote(.warning), cause: .sampler, at: .seconds(0))
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(1))
        _ = machine.handle(vote(.warning), cause: .sampler, at: .seconds(5))
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(6))
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(10.9))
        #expect(machine.level == .warning)
        _ = machine.handle(vote(.normal), cause: .sampler, at: .seconds(11))
        #expect(machine.level == .normal)
    }

    @Test("A level that sticks is announced again after the repeat interval, and normal never is")
    func repeats() {
        var machine = LevelMachine(timing: .init())
        _ = machine.handle(vote(.warning), cause: .sampler, at: .seconds(0))
        #expect(machine.handle(vote(.warning), cause: .sampler, at: .seconds(29.9)) == .unchanged)
        #expect(
            machine.handle(vote(.warning), cause: .sampler, at: .seconds(30))
                == .repeated(reason: vote(.warning).reason(.sampler)))
        #expect(machine.handle(vote(.warning), cause: .sampler, at: .seconds(31)) == .unchanged)
        var quiet = LevelMachine(timing: .init())
        #expect(quiet.handle(vote(.normal), cause: .sampler, at: .seconds(100)) == .unchanged)
    }

    @Test("The first to raise the level owns the reason")
    func firstOwnsTheReason() {
        var machine = LevelMachine(timing: .init())
        _ = machine.handle(vote(.warning), cause: .event(.pressureTrigger), at: .seconds(0))
        _ = machine.handle(vote(.warning), cause: .sampler, at: .seconds(1))
        #expect(machine.reason?.cause == .event(.pressureTrigger))
    }

    @Test(
        "Against a plain model, with seeds: never a fall before its delay, never a rise held back",
        arguments: seedBatches)
    func againstModel(batch: ClosedRange<UInt64>) {
        for seed in batch { againstModel(seed: seed) }
    }

    private func againstModel(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = LevelMachine(timing: .init())
        var history: [(time: Double, vote: PressureLevel)] = []
        var level = PressureLevel.normal
        var changedAt = 0.0
        var time = 0.0
        for _ in 0..<500 {
            time += Double.random(in: 0.001...2, using: &generator)
            let cast = PressureLevel.allCases.randomElement(using: &generator)!
            history.append((time, cast))
            _ = machine.handle(vote(cast), cause: .sampler, at: .seconds(time))
            if cast > level {
                level = cast
                changedAt = time
            } else if cast < level {
                let delay = level == .critical ? 2.0 : 5.0
                let lastAtLevel = history.last { $0.vote >= level }?.time ?? 0
                let since = history.first { $0.time > lastAtLevel && $0.time >= changedAt }?.time ?? time
                if time - since >= delay - 1e-9 {
                    level = level == .critical ? .warning : .normal
                    changedAt = time
                }
            }
            #expect(machine.level == level, "seed \(seed) at \(time)")
            if machine.level != level { return }
        }
    }
}
