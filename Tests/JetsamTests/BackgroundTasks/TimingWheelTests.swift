import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import PurgeableCaches

/// The wheel beside a plain list of what it should hold.
private struct WheelModel: ~Copyable {
    var slab = TaskSlab()
    var wheel: TimingWheel
    var due: [UInt32: Int64] = [:]
    var now: Int64

    init(now: Int64) {
        self.now = now
        wheel = TimingWheel(now: now)
    }

    mutating func insert(_ due: Int64) -> UInt32 {
        let entry = TaskEntry(
            handler: nil, due: due, leadAndMarks: 0, began: 0, next: 0, previous: 0, generation: 1, origin: 0, owner: 0,
            place: TaskEntry.Place.none, priority: 0, phase: .held)
        let index = slab.insert(entry)!
        wheel.insert(index, slab)
        self.due[index] = due
        return index
    }

    mutating func remove(_ index: UInt32) {
        wheel.remove(index, slab)
        slab.remove(index)
        due[index] = nil
    }

    /// Takes what is due at `time` and says what that was.
    mutating func advance(to time: Int64, budget: Int = .max) -> [UInt32] {
        now = time
        var taken: [UInt32] = []
        var budget = budget
        while let index = wheel.popNext(dueBy: TimingWheel.tick(notAfter: time), slab, budget: &budget) {
            taken.append(index)
            slab.remove(index)
        }
        return taken
    }
}

struct TimingWheelTests {
    private static let tick: Int64 = 1 << TimingWheel.tickShift

    @Test(
        "What is due comes out in the tick after its time and never before it, whatever the distance",
        arguments: [
            0, 1, tick - 1, tick, tick + 1, 63 * tick, 64 * tick, 65 * tick, 4096 * tick - 1, 4096 * tick, 1 << 40,
            1 << 50, 1 << 60,
        ])
    func exactly(distance: Int64) {
        let start: Int64 = 12_345_678_901
        var model = WheelModel(now: start)
        _ = model.insert(start + distance)
        if distance > 0 {
            #expect(model.advance(to: start + distance - 1).isEmpty)
        }
        let late = model.advance(to: start + distance + Self.tick)
        #expect(late.count == 1)
        #expect(model.wheel.nextTick == nil)
    }

    @Test("A deadline beyond every reach waits, and the wheel goes on")
    func beyondReach() {
        var model = WheelModel(now: 0)
        _ = model.insert(.max - 1)
        let near = model.insert(5 * Self.tick)
        #expect(model.advance(to: 6 * Self.tick) == [near])
        #expect(model.advance(to: 1 << 61).isEmpty)
        #expect(model.wheel.nextTick != nil)
    }

    @Test("It agrees with a sorted list about what is due when", arguments: seedBatches)
    func randomly(seeds: ClosedRange<UInt64>) {
        for seed in seeds { walk(seed) }
    }

    private func walk(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = WheelModel(now: .random(in: 0...(1 << 50), using: &random))
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let reach = Int64(1) << Int64.random(in: 0...45, using: &random)
                _ = model.insert(model.now + .random(in: -reach / 8...reach, using: &random))
            case 5..<7:
                guard let index = model.due.keys.sorted().randomElement(using: &random) else { continue }
                model.remove(index)
            default:
                let reach = Int64(1) << Int64.random(in: 0...44, using: &random)
                let time = model.now + .random(in: 0...reach, using: &random)
                // The promise of the next tick must hold: nothing that is due lies before it.
                if let next = model.wheel.nextTick, let first = model.due.values.min() {
                    #expect(next <= max(TimingWheel.tick(notBefore: first), model.wheel.elapsed), "seed \(seed)")
                }
                let isBounded = Bool.random(using: &random)
                let taken = model.advance(to: time, budget: isBounded ? .random(in: 1...20, using: &random) : .max)
                for index in taken {
                    #expect(model.due[index].map { $0 <= time } ?? false, "seed \(seed): early")
                    model.due[index] = nil
                }
                if !isBounded {
                    let mustBeOut = model.due.values.filter { $0 <= time - Self.tick }
                    #expect(mustBeOut.isEmpty, "seed \(seed): late")
                }
            }
        }
        var all = model.advance(to: 1 << 60)
        all.sort()
        #expect(all == model.due.keys.sorted(), "seed \(seed): lost")
    }
}
