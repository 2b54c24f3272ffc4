import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct LargestUnmanagedRiseTests {
    private func rise(_ samples: [(seconds: Double, bytes: Int)]) -> LargestUnmanagedRise {
        var rise = LargestUnmanagedRise()
        for sample in samples { rise.append(sample.bytes, at: .seconds(sample.seconds)) }
        return rise
    }

    @Test("The largest rise within ten seconds counts, wherever its peak lies")
    func largest() {
        let wave = (0..<600).map { (turn: Int) -> (Double, Int) in
            let isLow = turn / 50 % 2 == 0
            return (Double(turn) / 10, isLow ? 100 : 140)
        }
        #expect(rise(wave).largest == 40)
        #expect(rise([(0, 50), (20, 50), (24, 20), (29, 90), (29.5, 60)]).largest == 70)
        #expect(rise([(0, 500), (100, 20)]).largest == 0, "a fall is none")
    }

    @Test("Slow growth counts for ten seconds of it")
    func slow() {
        let ramp = (0...600).map { (seconds: Double($0) / 10, bytes: $0) }
        #expect((90...100).contains(rise(ramp).largest))
    }

    @Test("It is forgotten after five minutes, and not before")
    func forgotten() {
        var rise = rise([(80, 0), (100, 0), (101, 300)])
        rise.append(0, at: .seconds(389))
        #expect(rise.largest == 300)
        rise.append(0, at: .seconds(400))
        #expect(rise.largest == 0)
    }

    @Test("What a process takes as it starts counts for nothing, nor does a difference across a gap")
    func windowIsFull() {
        var rise = rise([(0, 0), (1, 300), (5, 400), (20, 400), (21, 430)])
        #expect(rise.largest == 30)
        rise.pause()
        rise.append(900, at: .seconds(25))
        rise.append(960, at: .seconds(26))
        #expect(rise.largest == 30, "what was before the gap stays")
        rise.append(960, at: .seconds(40))
        rise.append(1010, at: .seconds(41))
        #expect(rise.largest == 50)
    }
}
