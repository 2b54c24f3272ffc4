import Testing

@testable import Jetsam
@testable import JetsamTrace

/// What a trial's caches would have, beside those of the recording.
@Suite struct ModelledCachesTests {
    private static let second: Int64 = 1_000_000_000

    /// Those of a trial in which the model has begun, at 1000 bytes.
    private static func full() -> ModelledCaches {
        var caches = ModelledCaches()
        caches.note(1000, 0, isModel: true)
        return caches
    }

    @Test("a step takes what is asked for, and no more than there is")
    func give() {
        var caches = Self.full()
        #expect(caches.give(300) == 300)
        #expect(caches.difference == -300)
        #expect(caches.give(900) == 700)
        #expect(caches.give(1) == 0)
        #expect(caches.difference == -1000)
    }

    @Test("what a recorded step brings counts once, reported before its end, behind it, or half and half")
    func missedStep() {
        for seenFirst in [0, 150, 400] {
            var caches = Self.full()
            caches.beginMissedStep()
            caches.note(1000 - seenFirst, Self.second, isModel: true)
            caches.endMissedStep(promisedBytes: 400)
            #expect(caches.difference == 400, "after the end, \(seenFirst) seen before")
            caches.note(600, Self.second, isModel: true)
            #expect(caches.difference == 400, "when all is reported, \(seenFirst) seen before")
            #expect(caches.give(2000) == 1000)
        }
    }

    @Test("what a recorded step has not reported yet is not there twice for a step of the trial")
    func outstanding() {
        var caches = Self.full()
        caches.beginMissedStep()
        caches.endMissedStep(promisedBytes: 400)
        // Still reported are 1000, of which 400 are gone: the trial has its own 1000.
        #expect(caches.give(5000) == 1000)
    }

    @Test("behind a step caches grow no further, though recorded ones do, until limits are raised or lifted")
    func limit() {
        var caches = Self.full()
        _ = caches.give(200)
        caches.note(1100, Self.second, isModel: true)
        caches.keepToLimit()
        #expect(caches.difference == -300)
        var raise = RegrowthRecord()
        raise.raiseBytes = 50
        caches.apply(raise)
        // They grow as fast as recorded ones did: 100 a second.
        caches.note(1100, Self.second, isModel: true)
        caches.keepToLimit()
        #expect(caches.difference == -250)
        // Where they hold the caches back they rise instead of being lifted.
        var lift = RegrowthRecord()
        lift.elseRaiseBytes = 10
        caches.apply(lift)
        caches.note(1100, Self.second, isModel: true)
        caches.keepToLimit()
        #expect(caches.difference == -240)
        caches.apply(RegrowthRecord())
        for _ in 0..<10 {
            caches.note(1100, Self.second, isModel: true)
            caches.keepToLimit()
        }
        #expect(caches.difference == 0)
    }

    @Test("caches with room below their limit get no higher one")
    func notFull() {
        var caches = Self.full()
        _ = caches.give(200)
        caches.note(600, Self.second, isModel: true)
        var raise = RegrowthRecord()
        raise.raiseBytes = 1000
        caches.apply(raise)
        caches.note(2000, Self.second, isModel: true)
        caches.keepToLimit()
        #expect(caches.difference == 800 - 2000)
    }

    @Test("a step that both make lowers the limit to what is reported behind it")
    func sharedStep() {
        var caches = Self.full()
        caches.followedStep()
        caches.note(700, Self.second, isModel: false)
        caches.note(900, Self.second, isModel: true)
        caches.keepToLimit()
        #expect(caches.difference == 700 - 900)
    }
}
