import Jetsam
import MemoryPressure
import Testing

@testable import jetsam_stress

@Suite("What a run released, needed and wasted, seen from outside")
struct SurvivalAccountTests {
    private static let mebibyte = 1 << 20

    /// What is seen at so many milliseconds: the headroom, the cache, and what was released and fetched again so far, in MiB.
    private typealias Look = (Int, headroom: Int, cache: Int, released: Int, refetched: Int)

    /// A run under a limit of 512 MiB, and a `memory.high` of so many where one is set.
    private func account(_ looks: [Look], high: Int? = nil) -> SurvivalAccount {
        let lines = looks.map { look in
            """
            \(look.0 * 1_000_000) \(look.cache * Self.mebibyte) 0 0 \(look.released * Self.mebibyte) \
            \(look.refetched * Self.mebibyte) 0 0
            """
        }
        return SurvivalAccount(
            looks.map { look in
                var reading = MemoryReading()
                reading.instant = MonotonicInstant(nanoseconds: Int64(look.0) * 1_000_000)
                reading.limitBytes = 512 * Self.mebibyte
                reading.headroomBytes = look.headroom * Self.mebibyte
                reading.highBytes = high.map { $0 * Self.mebibyte }
                reading.distanceToHighBytes = high.map { (look.headroom - 512 + $0) * Self.mebibyte }
                return reading
            }, [ServerSamples(lines.joined(separator: "\n"))])
    }

    @Test("A release that nothing needed is wasted as far as it was fetched again")
    func unneeded() {
        let figures = account([
            (0, 200, 250, 0, 0), (20, 200, 250, 0, 0), (40, 300, 150, 100, 0), (5000, 240, 210, 100, 60),
        ]).figures
        #expect(figures.releasedBytes == 100 * Self.mebibyte)
        #expect(figures.neededBytes == 0)
        #expect(figures.wastedBytes == 60 * Self.mebibyte)
    }

    @Test("What is given and not free yet does not count as needed")
    func underWay() {
        let figures = account([
            // The cache says at once that it gave 100 MiB; the memory is free 60 ms later, and only then is it counted.
            (0, 100, 300, 0, 0), (20, 100, 200, 0, 0), (40, 130, 200, 0, 0), (60, 200, 200, 100, 0),
            (2000, 150, 200, 100, 0),
        ]).figures
        #expect(figures.releasedBytes == 100 * Self.mebibyte)
        // 20 % of 512 MiB, less what was free with all that the cache had held: 150 - 100.
        let reserve = 512 * Self.mebibyte / 5
        #expect(figures.neededBytes == reserve - 50 * Self.mebibyte)
    }

    @Test("A release for memory.high was needed, though the hard limit is far")
    func underHigh() {
        let looks: [Look] = [
            (0, 230, 200, 0, 0), (20, 230, 200, 0, 0), (40, 260, 170, 30, 0), (2000, 260, 170, 30, 0),
        ]
        #expect(account(looks).figures.neededBytes == 0)
        // Of a memory.high of 300 MiB 20 % are to be free: 60, and 18 were.
        #expect(account(looks, high: 300).figures.neededBytes == 42 * Self.mebibyte)
    }

    @Test("A run without releases has no figures")
    func quiet() {
        let figures = account([(0, 200, 100, 0, 0), (1000, 50, 250, 0, 0)]).figures
        #expect(figures.episodes == 0)
        #expect(figures.wastedShare == 0)
    }

    @Test("A line that is cut off is left out")
    func cutOff() {
        let samples = ServerSamples("1000 1 2 3 4 5 6 0\n2000 1 2 3 4 5 7 1\n3000 1 2 3 4 5 8")
        #expect(samples.samples.count == 2)
        #expect(samples.at(MonotonicInstant(nanoseconds: 5000)).cpuMicroseconds == 7)
        #expect(samples.at(MonotonicInstant(nanoseconds: 1500)).cpuMicroseconds == 6)
        #expect(samples.at(MonotonicInstant(nanoseconds: 10)) == ServerSamples.Sample())
    }

    @Test("The time at a level is counted between two instants, each sample until the next")
    func levels() {
        let samples = ServerSamples(
            [(0, 0), (10, 1), (30, 2), (35, 1), (50, 0), (60, 0)].map { "\($0.0) 0 0 0 0 0 0 \($0.1)" }
                .joined(separator: "\n"))
        func time(_ level: Int, from start: Int64 = 0, to end: Int64 = 100) -> Int64 {
            samples.time(
                at: level, from: MonotonicInstant(nanoseconds: start), to: MonotonicInstant(nanoseconds: end)
            ).nanoseconds
        }
        #expect(time(0) == 20 && time(1) == 35 && time(2) == 5)
        #expect(time(1, from: 20, to: 40) == 15 && time(2, from: 34) == 1 && time(0, from: 70) == 0)
    }
}
