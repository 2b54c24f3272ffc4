import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

/// Under a limit of 500 MiB, the reserve is 100 MiB and what is free beyond 125 MiB is more than enough.
struct ReleaseAccountTests {
    /// One look, in seconds and MiB.
    struct Look {
        var at: Double
        var free: Int
        var caches: Int
        var refetched = 0

        func sample(limit: Int = 500) -> ReleaseAccount.Sample {
            ReleaseAccount.Sample(
                instant: .seconds(at), limitBytes: limit * mebibyte, headroomBytes: free * mebibyte,
                cacheBytes: caches * mebibyte, refetchedBytes: refetched * mebibyte)
        }
    }

    enum Event {
        case look(Look)
        case release(Int, before: Look, after: Look)
    }

    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var events: [Event]
        var episodes = 1
        /// In MiB.
        var released = 0
        var refetched = 0
        var needed = 0
        var wasted = 0

        init(
            _ name: String, episodes: Int = 1, released: Int = 0, refetched: Int = 0, needed: Int = 0, wasted: Int = 0,
            _ events: [Event]
        ) {
            testDescription = name
            self.events = events
            self.episodes = episodes
            self.released = released
            self.refetched = refetched
            self.needed = needed
            self.wasted = wasted
        }
    }

    @Test("A release for the process's own budget, or for memory.high, was needed, though the machine has much memory")
    func softLimits() {
        func figures(budget: Int? = nil, high: Int? = nil) -> ReleaseAccount.Figures {
            let rule = budget.map { ManagerConfiguration.FootprintRule(budgetBytes: $0 * mebibyte) }
            func sample(_ footprint: Int, caches: Int, refetched: Int = 0, at seconds: Double) -> ReleaseAccount.Sample
            {
                var reading = reading(headroom: 20 << 30, limit: 24 << 30, footprint: footprint * mebibyte)
                reading.highBytes = high.map { $0 * mebibyte }
                reading.distanceToHighBytes = high.map { ($0 - footprint) * mebibyte }
                return ReleaseAccount.Sample(
                    reading, at: .seconds(seconds), budget: rule, cacheBytes: caches * mebibyte,
                    refetchedBytes: refetched * mebibyte)
            }
            var account = ReleaseAccount()
            _ = account.add(
                releasedBytes: 50 * mebibyte, before: sample(450, caches: 300, at: 0),
                after: sample(400, caches: 250, at: 0.1))
            _ = account.look(at: sample(430, caches: 280, refetched: 30, at: 5))
            _ = account.end()
            return account.total
        }
        for near in [figures(budget: 500), figures(high: 500), figures(budget: 10_000, high: 500)] {
            #expect(near.neededBytes == 50 * mebibyte)
            #expect(near.wastedBytes == 0)
        }
        for other in [figures(), figures(budget: 10_000), figures(high: 10_000)] {
            #expect(other.neededBytes == 0)
            #expect(other.wastedBytes == 30 * mebibyte)
        }
    }

    static let cases = [
        Case(
            "what was short is needed, and nothing of it is wasted although it is fetched again", released: 40,
            refetched: 40, needed: 40,
            [
                .release(
                    40, before: Look(at: 0, free: 60, caches: 200), after: Look(at: 0.1, free: 100, caches: 160)),
                .look(Look(at: 9, free: 60, caches: 200, refetched: 40)),
            ]),
        Case(
            "what nobody missed is wasted as far as it is fetched again", released: 50, refetched: 30, wasted: 30,
            [
                .release(
                    50, before: Look(at: 0, free: 150, caches: 200), after: Look(at: 0.1, free: 200, caches: 150)),
                .look(Look(at: 5, free: 170, caches: 180, refetched: 30)),
            ]),
        Case(
            "what nobody asks for again is not wasted, however much stays free", released: 50,
            [
                .release(
                    50, before: Look(at: 0, free: 150, caches: 200), after: Look(at: 0.1, free: 200, caches: 150)),
                .look(Look(at: 5, free: 200, caches: 150)),
            ]),
        Case(
            "what is fetched again is wasted only as far as more than 1.25 times the reserve stayed free", released: 50,
            refetched: 50, needed: 15, wasted: 10,
            [
                .release(
                    50, before: Look(at: 0, free: 100, caches: 200), after: Look(at: 0.1, free: 150, caches: 150)),
                .look(Look(at: 2, free: 135, caches: 150)),
                .look(Look(at: 8, free: 200, caches: 200, refetched: 50)),
            ]),
        Case(
            "what caches grew again counts as free", released: 100, refetched: 60, needed: 0, wasted: 60,
            [
                .release(
                    100, before: Look(at: 0, free: 130, caches: 300), after: Look(at: 0.1, free: 230, caches: 200)),
                .look(Look(at: 5, free: 130, caches: 300, refetched: 60)),
            ]),
        Case(
            "memory that others took after the release was needed", released: 100, refetched: 80, needed: 80,
            [
                .release(
                    100, before: Look(at: 0, free: 110, caches: 300), after: Look(at: 0.1, free: 210, caches: 200)),
                .look(Look(at: 3, free: 120, caches: 200)),
                .look(Look(at: 8, free: 120, caches: 200, refetched: 80)),
            ]),
        Case(
            "several steps of an episode are judged together: the first ones were needed, the last took too much",
            released: 160, refetched: 120, needed: 60, wasted: 75,
            [
                .release(
                    40, before: Look(at: 0, free: 80, caches: 300), after: Look(at: 0.1, free: 120, caches: 260)),
                .release(
                    120, before: Look(at: 1, free: 80, caches: 260), after: Look(at: 1.1, free: 200, caches: 140)),
                .look(Look(at: 9, free: 80, caches: 260, refetched: 120)),
            ]),
        Case(
            "a step after the peak takes nothing from what the peak needed", released: 100, refetched: 100, needed: 60,
            wasted: 15,
            [
                .release(
                    60, before: Look(at: 0, free: 40, caches: 300), after: Look(at: 0.1, free: 100, caches: 240)),
                .look(Look(at: 3, free: 200, caches: 240)),
                .release(
                    40, before: Look(at: 4, free: 200, caches: 240), after: Look(at: 4.1, free: 240, caches: 200)),
                .look(Look(at: 9, free: 140, caches: 300, refetched: 100)),
            ]),
        Case(
            "what grows again between two steps of an episode counts for both", released: 100, refetched: 50, needed: 0,
            wasted: 50,
            [
                .release(
                    50, before: Look(at: 0, free: 150, caches: 200), after: Look(at: 0.1, free: 200, caches: 150)),
                .look(Look(at: 5, free: 150, caches: 200, refetched: 50)),
                .release(
                    50, before: Look(at: 6, free: 150, caches: 200, refetched: 50),
                    after: Look(at: 6.1, free: 200, caches: 150, refetched: 50)),
            ]),
        Case(
            "a release ten seconds after the last belongs to its episode", released: 20, refetched: 5, wasted: 5,
            [
                .release(
                    10, before: Look(at: 0, free: 200, caches: 200), after: Look(at: 0, free: 210, caches: 190)),
                .release(
                    10, before: Look(at: 10, free: 210, caches: 190, refetched: 5),
                    after: Look(at: 10, free: 220, caches: 180, refetched: 5)),
            ]),
        Case(
            "one that comes later begins another, which what was fetched again before does not belong to", episodes: 2,
            released: 20,
            [
                .release(
                    10, before: Look(at: 0, free: 200, caches: 200), after: Look(at: 0, free: 210, caches: 190)),
                .release(
                    10, before: Look(at: 10.1, free: 200, caches: 200, refetched: 10),
                    after: Look(at: 10.2, free: 210, caches: 190, refetched: 10)),
            ]),
        Case(
            "what is fetched again later than ten seconds after the release is not wasted", released: 50,
            [
                .release(
                    50, before: Look(at: 0, free: 150, caches: 200), after: Look(at: 0.1, free: 200, caches: 150)),
                .look(Look(at: 10.2, free: 150, caches: 200, refetched: 50)),
            ]),
        Case(
            "nobody can need more than caches held", released: 30, needed: 30,
            [
                .release(
                    30, before: Look(at: 0, free: 10, caches: 30), after: Look(at: 0.1, free: 40, caches: 0)),
                .look(Look(at: 1, free: 0, caches: 0)),
            ]),
        Case(
            "a step that brought nothing is no episode", episodes: 0,
            [
                .release(0, before: Look(at: 0, free: 10, caches: 200), after: Look(at: 0.1, free: 10, caches: 200))
            ]),
        Case("without releases nothing is counted", episodes: 0, [.look(Look(at: 0, free: 10, caches: 200))]),
    ]

    @Test("Counts what came back, what was needed and what was wasted", arguments: cases)
    func count(_ test: Case) {
        var account = ReleaseAccount()
        for event in test.events {
            switch event {
            case .look(let look): account.look(at: look.sample())
            case .release(let bytes, let before, let after):
                account.add(releasedBytes: bytes * mebibyte, before: before.sample(), after: after.sample())
            }
        }
        let total = account.total
        #expect(total.episodes == test.episodes)
        #expect(total.releasedBytes == test.released * mebibyte)
        #expect(total.refetchedBytes == test.refetched * mebibyte)
        #expect(total.neededBytes == test.needed * mebibyte)
        #expect(total.wastedBytes == test.wasted * mebibyte)
        let share = test.released > 0 ? Double(test.wasted) / Double(test.released) : 0
        #expect(total.wastedShare == share)
    }

    @Test("An episode is given once, by the look that shows it to be over, and its figures stay in the total")
    func episodes() {
        var account = ReleaseAccount()
        let before = Look(at: 0, free: 60, caches: 200).sample()
        #expect(
            account.add(
                releasedBytes: 40 * mebibyte, before: before, after: Look(at: 1, free: 100, caches: 160).sample())
                == nil)
        #expect(account.look(at: Look(at: 11, free: 100, caches: 160).sample()) == nil)
        let ended = account.look(at: Look(at: 11.001, free: 100, caches: 160).sample())
        #expect(ended?.releasedBytes == 40 * mebibyte)
        #expect(account.current == nil)
        #expect(account.look(at: Look(at: 12, free: 100, caches: 160).sample()) == nil)
        #expect(account.end() == nil)
        #expect(account.total == ended)
    }

    @Test("The reserve follows a limit that is changed in place, down and up")
    func resized() {
        var account = ReleaseAccount()
        let before = Look(at: 0, free: 300, caches: 200)
        let after = Look(at: 0.1, free: 400, caches: 100)
        account.add(releasedBytes: 100 * mebibyte, before: before.sample(limit: 1000), after: after.sample(limit: 1000))
        #expect(account.total.neededBytes == 0)
        // 400 MiB less: the reserve is 120 MiB, and without the release 100 MiB would be missing of it.
        account.look(at: Look(at: 1, free: 120, caches: 100).sample(limit: 600))
        #expect(account.total.neededBytes == 100 * mebibyte)
        account.look(at: Look(at: 2, free: 520, caches: 200, refetched: 100).sample(limit: 1000))
        #expect(account.total.neededBytes == 100 * mebibyte)
        #expect(account.total.wastedBytes == 0)
    }

    @Test(
        "Numbers at the ends of what an integer holds neither trap nor make a share beyond 0…1",
        arguments: [
            Int.min, -1, 0, 1, .max,
        ])
    func extremes(first: Int) {
        for second in [Int.min, -1, 0, 1, .max] {
            for third in [Int.min, 0, .max] {
                var account = ReleaseAccount()
                func sample(_ seconds: Double, _ headroom: Int, _ caches: Int, _ refetched: Int)
                    -> ReleaseAccount.Sample
                {
                    ReleaseAccount.Sample(
                        instant: .seconds(seconds), limitBytes: third, headroomBytes: headroom, cacheBytes: caches,
                        refetchedBytes: refetched)
                }
                for round in 0..<3 {
                    let start = Double(round) * 6
                    account.add(
                        releasedBytes: first, before: sample(start, first, second, third),
                        after: sample(start + 1, second, first, third))
                    account.look(at: sample(start + 2, third, second, first))
                    account.look(at: sample(start + 3, second, third, second))
                }
                let total = account.total
                #expect((0...1).contains(total.wastedShare))
                #expect(total.neededBytes >= 0 && total.refetchedBytes >= 0 && total.wastedBytes >= 0)
            }
        }
    }

    @Test(
        "The reserve is 20 % of the limit between 48 MiB and 2 GiB, and small limits use the share alone",
        arguments: [(100, 20), (127, 25), (128, 48), (200, 48), (500, 100), (10_240, 2048), (65_536, 2048)])
    func reserve(limit: Int, reserve: Int) {
        #expect(ReleaseAccount.reserveBytes(limitBytes: limit * mebibyte) / mebibyte == reserve)
    }
}
