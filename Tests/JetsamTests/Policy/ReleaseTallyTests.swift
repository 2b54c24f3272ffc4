import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct ReleaseTallyTests {
    private func sample(_ seconds: Double, free: Int, caches: Int, refetched: Int = 0) -> ReleaseAccount.Sample {
        ReleaseAccount.Sample(
            instant: .seconds(seconds), limitBytes: 500 * mebibyte, headroomBytes: free * mebibyte,
            cacheBytes: caches * mebibyte, refetchedBytes: refetched * mebibyte)
    }

    @Test("A release is counted at the look after it, from the look before it")
    func release() {
        var tally = ReleaseTally()
        tally.look(at: sample(0, free: 60, caches: 200))
        tally.begin()
        tally.end(releasedBytes: 40 * mebibyte)
        #expect(tally.total.releasedBytes == 0)
        tally.look(at: sample(1, free: 100, caches: 160))
        #expect(tally.total.releasedBytes == 40 * mebibyte)
        #expect(tally.total.neededBytes == 40 * mebibyte)
    }

    @Test("While caches are asked nothing is looked at: what they freed is still with the allocator")
    func during() {
        var tally = ReleaseTally()
        tally.look(at: sample(0, free: 60, caches: 200))
        tally.begin()
        tally.look(at: sample(0.5, free: 60, caches: 160))
        tally.end(releasedBytes: 40 * mebibyte)
        tally.look(at: sample(1, free: 100, caches: 160))
        #expect(tally.total.neededBytes == 40 * mebibyte)
    }

    @Test("A run that is given up leaves nothing behind, and looks count again")
    func abandoned() {
        var tally = ReleaseTally()
        tally.look(at: sample(0, free: 60, caches: 200))
        tally.begin()
        tally.abandon()
        tally.look(at: sample(1, free: 150, caches: 200))
        tally.end(releasedBytes: 10 * mebibyte)
        tally.look(at: sample(2, free: 160, caches: 190))
        #expect(tally.total.releasedBytes == 10 * mebibyte)
        #expect(tally.total.neededBytes == 0)
    }

    @Test("What comes late counts, also while others are asked, and does not end their release")
    func late() {
        var tally = ReleaseTally()
        tally.look(at: sample(0, free: 60, caches: 200))
        tally.begin()
        tally.add(releasedBytes: 5 * mebibyte)
        tally.look(at: sample(1, free: 0, caches: 200))
        tally.end(releasedBytes: 10 * mebibyte)
        tally.look(at: sample(2, free: 75, caches: 185))
        #expect(tally.total.releasedBytes == 15 * mebibyte)
        #expect(tally.total.neededBytes == 40 * mebibyte)
        tally.add(releasedBytes: .max)
        tally.add(releasedBytes: .max)
        tally.look(at: sample(3, free: 75, caches: 185))
        #expect(tally.total.releasedBytes == .max)
    }

    @Test(
        "What came back is no more than was promised, and what either the allocator or the kernel saw go",
        arguments: [
            (100, nil, 80, 80), (100, 90, 80, 90), (100, 70, 80, 80), (100, 150, 200, 100), (0, 10, 10, 0),
            (-5, nil, 3, 0),
        ] as [(Int, Int?, Int, Int)])
    func cameBack(promised: Int, freed: Int?, returned: Int, expected: Int) {
        #expect(
            ReleaseTally.cameBack(promisedBytes: promised, freedBytes: freed, returnedBytes: returned) == expected)
    }
}
