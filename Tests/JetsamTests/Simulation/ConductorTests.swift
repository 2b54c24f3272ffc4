import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamSimulation

struct ConductorTests {
    private final class Lines: @unchecked Sendable {
        var all: [String] = []
    }

    private static let millisecond: Int64 = 1_000_000

    @Test("Threads take turns: one goes on until it waits or sleeps, and time passes only when none can")
    func turns() throws {
        let conductor = Conductor()
        let threads = ConductedThreads(conductor: conductor)
        let spot = threads.makeSpot()
        let lines = Lines()
        let start = conductor.now
        func line(_ text: String) { lines.all.append("\((conductor.now - start) / Self.millisecond) \(text)") }
        try threads.start("first", stackBytes: 64 << 10) {
            lines.all.append("first begins")
            spot.wait(for: nil)
            lines.all.append("first goes on after \((conductor.now - start) / Self.millisecond) ms")
        }
        try threads.start("second", stackBytes: 64 << 10) {
            lines.all.append("second begins")
            conductor.sleep(5 * Self.millisecond)
            spot.signal()
            lines.all.append("second has signalled")
        }
        conductor.after(2 * Self.millisecond) { line("timer") }
        conductor.after(2 * Self.millisecond) { line("timer of the same instant") }
        conductor.run(until: start + 10 * Self.millisecond)
        #expect(
            lines.all == [
                "first begins", "second begins", "2 timer", "2 timer of the same instant", "second has signalled",
                "first goes on after 5 ms",
            ])
        #expect(conductor.liveThreads == 0 && conductor.now == start + 10 * Self.millisecond)
    }

    @Test("A signal that nobody waits for is kept, and a bell is answered once however often it was rung")
    func spotsAndBells() throws {
        let conductor = Conductor()
        let threads = ConductedThreads(conductor: conductor)
        let spot = threads.makeSpot()
        let lines = Lines()
        spot.signal()
        try threads.start("waiting", stackBytes: 64 << 10) {
            spot.wait(for: nil)
            lines.all.append("was signalled")
        }
        let bell = ConductedBell(conductor) { lines.all.append("rung") }
        bell.ring()
        bell.ring()
        conductor.settle()
        bell.cancel()
        bell.ring()
        conductor.settle()
        #expect(lines.all == ["was signalled", "rung"])
    }

    @Test("A sampler runs when it asked to, and at once when it is woken")
    func ticker() throws {
        let conductor = Conductor()
        let ticker = ConductedTicker(conductor)
        let lines = Lines()
        let start = conductor.now
        conductor.add(ticker)
        try ticker.start {
            lines.all.append("\((conductor.now - start) / Self.millisecond)")
            return .milliseconds(10)
        }
        conductor.after(14 * Self.millisecond) { ticker.wake() }
        conductor.run(until: start + 30 * Self.millisecond)
        conductor.remove(ticker)
        #expect(lines.all == ["0", "10", "14", "24"])
    }
}
