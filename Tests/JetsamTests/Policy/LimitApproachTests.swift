import MemoryPressure
import Testing

@testable import JetsamPolicy

struct LimitApproachTests {
    /// A container of 512 MiB that uses so many MiB which cannot be taken back.
    private func using(_ mebibytes: Int, limit: Int = 512) -> MemoryReading {
        reading(headroom: (limit - mebibytes) * mebibyte, limit: limit * mebibyte)
    }

    private func next(
        _ approach: inout LimitApproach, _ reading: MemoryReading, caches: Int, hollow: Int = 0, retained: Int = 0,
        promised: Int = 0, isAnyBusy: Bool = false, isTimeOver: Bool = false
    ) -> LimitApproach.Next {
        approach.next(
            reading, reportedBytes: caches * mebibyte, hollowBytes: hollow * mebibyte,
            retainedBytes: retained * mebibyte, promisedBytes: promised * mebibyte,
            isAnyBusy: isAnyBusy, isTimeOver: isTimeOver)
    }

    @Test("Caches are asked down to warning's exit of the new limit, and its entry is enough")
    func reached() {
        var approach = LimitApproach(limitBytes: 300 * mebibyte, rule: .init())
        #expect(approach.marginBytes == 60 * mebibyte)
        #expect(approach.missingBytes(using(390)) == 150 * mebibyte)
        #expect(next(&approach, using(390), caches: 300) == .ask(bytes: 165 * mebibyte, missing: 165 * mebibyte))
        #expect(next(&approach, using(240), caches: 150, promised: 150) == .done(nil))
    }

    @Test("Where there is room already, nobody is asked, but limits are set")
    func fits() {
        var approach = LimitApproach(limitBytes: 300 * mebibyte, rule: .init())
        #expect(next(&approach, using(100), caches: 80) == .ask(bytes: 0, missing: 0))
        #expect(next(&approach, using(100), caches: 80) == .done(nil))
    }

    @Test("Without a chance nobody is emptied: only what the allocator retains is tried")
    func unmanaged() {
        var approach = LimitApproach(limitBytes: 300 * mebibyte, rule: .init())
        #expect(next(&approach, using(390), caches: 100) == .ask(bytes: 0, missing: 165 * mebibyte))
        #expect(next(&approach, using(390), caches: 100) == .done(.unmanagedMemory))
    }

    @Test("What a trim brings may be enough")
    func trimmed() {
        var approach = LimitApproach(limitBytes: 300 * mebibyte, rule: .init())
        #expect(next(&approach, using(390), caches: 0) == .ask(bytes: 0, missing: 165 * mebibyte))
        #expect(next(&approach, using(200), caches: 0) == .done(nil))
    }

    @Test("Caches that hold enough and give nothing are asked twice, and blamed")
    func hanging() {
        var approach = LimitApproach(limitBytes: 300 * mebibyte, rule: .init())
        for _ in 0..<2 {
            #expect(next(&approach, using(390), caches: 300) == .ask(bytes: 165 * mebibyte, missing: 165 * mebibyte))
        }
        #expect(next(&approach, using(390), caches: 300) == .done(.caches))
    }

    @Test("Caches that promise what does not come back are blamed, and growth beside them is not theirs")
    func lying() {
        var approach = LimitApproach(limitBytes: 300 * mebibyte, rule: .init())
        _ = next(&approach, using(390), caches: 200)
        #expect(next(&approach, using(390), caches: 35, promised: 165) == .done(.caches))
        var other = LimitApproach(limitBytes: 300 * mebibyte, rule: .init())
        _ = next(&other, using(390), caches: 165)
        #expect(next(&other, using(300), caches: 10, promised: 100) == .done(.unmanagedMemory))
    }

    @Test(
        "Caches that report enough and are known to give nothing are blamed, asked or not", arguments: [true, false])
    func hollow(isAsked: Bool) {
        var approach = LimitApproach(limitBytes: 300 * mebibyte, rule: .init())
        _ = next(&approach, using(390), caches: 300, hollow: isAsked ? 0 : 300)
        #expect(next(&approach, using(390), caches: 300, hollow: 300) == .done(.caches))
    }

    @Test("A cache that is still at it is waited for, and then asked once more whatever is known of it")
    func slow() {
        var approach = LimitApproach(limitBytes: 300 * mebibyte, rule: .init())
        _ = next(&approach, using(390), caches: 300)
        #expect(next(&approach, using(390), caches: 300, hollow: 300, isAnyBusy: true) == .wait)
        var over = approach
        #expect(next(&over, using(390), caches: 300, hollow: 300, isAnyBusy: true, isTimeOver: true) == .done(.time))
        #expect(
            next(&approach, using(300), caches: 210, hollow: 210) == .ask(bytes: 75 * mebibyte, missing: 75 * mebibyte))
        #expect(next(&approach, using(300), caches: 210, hollow: 210) == .done(.caches))
    }

    @Test("It ends when the time is over, unless there is room by then")
    func time() {
        var approach = LimitApproach(limitBytes: 300 * mebibyte, rule: .init())
        _ = next(&approach, using(390), caches: 300)
        var late = approach
        #expect(next(&approach, using(350), caches: 260, promised: 40, isTimeOver: true) == .done(.time))
        #expect(next(&late, using(230), caches: 140, promised: 160, isTimeOver: true) == .done(nil))
    }

    @Test("Only a number above 0 and up to the limit of now is a cut, and the same again is none too many")
    func range() {
        let limit = 512 * mebibyte
        for (bytes, isInRange) in [(0, false), (-1, false), (1, true), (limit, true), (limit + 1, false)] {
            #expect(LimitApproach(limitBytes: bytes, rule: .init()).isInRange(using(100)) == isInRange, "\(bytes)")
        }
    }

    @Test("Where the machine is the bound, this process's footprint counts")
    func machine() {
        var reading = using(390)
        reading.isLimited = false
        reading.footprintBytes = 50 * mebibyte
        #expect(LimitApproach.usedBytes(reading) == 50 * mebibyte)
    }

    @Test("Of two announcements the lower number holds, until the later end or until it is set")
    func announced() {
        let first = AnnouncedLimit(bytes: 300 * mebibyte, until: .seconds(60))
        let second = AnnouncedLimit(bytes: 400 * mebibyte, until: .seconds(90))
        #expect(second.joined(with: first) == AnnouncedLimit(bytes: 300 * mebibyte, until: .seconds(90)))
        #expect(first.joined(with: nil) == first)
        #expect(first.isAwaited(using(200), at: .seconds(59)))
        #expect(!first.isAwaited(using(200), at: .seconds(60)))
        #expect(!first.isAwaited(using(200, limit: 300), at: .seconds(1)))
    }
}
