import JetsamSystem
import JetsamTesting
import Testing

struct DeadlinesTests {
    @Test("Tens of thousands of calls under way at once have their deadlines all the same", .timeLimit(.minutes(1)))
    func many() {
        let clock = SystemMonotonicClock()
        let deadlines = Deadlines(clock: clock, isAutomatic: true)
        let later = clock.now.advanced(by: .seconds(3600))
        let ids = (0..<50_000).map { index in deadlines.add(later.advanced(by: .milliseconds(-index))) {} }
        #expect(deadlines.nextDue == later.advanced(by: .milliseconds(-49_999)))
        for id in ids.dropFirst().reversed() { deadlines.cancel(id) }
        #expect(deadlines.count == 1)
        #expect(deadlines.nextDue == later)
    }

    @Test("What is added, cancelled and fired agrees with a plain list", arguments: seedBatches)
    func model(seeds: ClosedRange<UInt64>) {
        for seed in seeds { agree(seed) }
    }

    private func agree(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let clock = ManualClock()
        let deadlines = Deadlines(clock: clock, isAutomatic: false)
        let fired = Lock<[Int]>([])
        var list: [(instant: MonotonicInstant, number: Int, id: UInt64)] = []
        var expected: [Int] = []
        func expire() {
            let due = list.filter { $0.instant <= clock.now }.sorted { ($0.instant, $0.id) < ($1.instant, $1.id) }
            expected += due.map(\.number)
            list.removeAll { $0.instant <= clock.now }
        }
        for number in 0..<300 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let instant = clock.now.advanced(by: .milliseconds(Int.random(in: -5...200, using: &random)))
                let id = deadlines.add(instant) { fired.withLock { $0.append(number) } }
                list.append((instant, number, id))
                if instant <= clock.now { expire() }
            case 5..<9:
                guard let index = list.indices.randomElement(using: &random) else { continue }
                deadlines.cancel(list.remove(at: index).id)
            default:
                clock.advance(by: .milliseconds(Int.random(in: 0...60, using: &random)))
                deadlines.fireDue()
                expire()
            }
            #expect(fired.withLock { $0 } == expected)
            #expect(deadlines.count == list.count)
            #expect(deadlines.nextDue == list.map(\.instant).min())
        }
    }
}
