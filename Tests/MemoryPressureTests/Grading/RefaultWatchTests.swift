import Testing

@testable import MemoryPressure

@Suite struct RefaultWatchTests {
    private static let window = StallWindow.length

    /// One reading after another; each says how many pages came back since the last one, and how many of these were a scan's.
    private struct Course {
        var watch = RefaultWatch()
        private(set) var reading = MemoryReading()

        init() {
            reading.tightestLevel = 0
            reading.refaultedPages = 1_000_000
            reading.scannedPages = 1000
            watch.observe(reading)
        }

        /// Returns whether that is thrash, after so many milliseconds.
        mutating func after(_ milliseconds: Int64, came pages: UInt64, scanned: Int = 0, level: Int = 0) -> Bool {
            reading.instant = MonotonicInstant(nanoseconds: reading.instant.nanoseconds + milliseconds * 1_000_000)
            reading.refaultedPages = (reading.refaultedPages ?? 0) + pages
            reading.scannedPages += scanned
            reading.tightestLevel = level
            watch.observe(reading)
            return watch.showsThrash(within: RefaultWatchTests.window, of: reading.instant)
        }
    }

    @Test func `what was counted before the first reading is nobody's news`() {
        var course = Course()
        let isThrash = course.after(10, came: 0)
        #expect(!isThrash)
    }

    @Test func `a page or two are none, 64 at once are, for two seconds`() {
        var course = Course()
        let seen = [
            course.after(10, came: 63), course.after(10, came: 64), course.after(2000, came: 0),
            course.after(1, came: 0),
        ]
        #expect(seen == [false, true, true, false])
    }

    @Test func `pages of a file that is read from end to end are none, however many`() {
        var course = Course()
        for _ in 0..<100 {
            let isThrash = course.after(50, came: 20_000, scanned: 20_000)
            #expect(!isThrash)
        }
    }

    @Test func `an eighth of a working set is thrash, less is not`() {
        var (less, eighth) = (Course(), Course())
        for _ in 0..<10 {
            let isLess = less.after(50, came: 800, scanned: 701)
            let isEighth = eighth.after(50, came: 800, scanned: 700)
            #expect(!isLess && isEighth)
        }
    }

    @Test func `what comes back where a scan begins is forgotten as the scan goes on`() {
        var course = Course()
        // Measured where a file of 600 MiB is read beside a server.
        let isAtOnce = course.after(100, came: 865, scanned: 558)
        #expect(isAtOnce)
        for _ in 0..<50 {
            let isLater = course.after(20, came: 8000, scanned: 8000)
            #expect(!isLater)
        }
    }

    @Test func `a second in which the kernel takes a part of a scan for a working set is none`() {
        var course = Course()
        // Measured: pages that came back in each tenth of a second, and those of them that were activated.
        let measured: [(came: UInt64, activated: Int)] = [
            (28672, 6), (45568, 36), (40960, 621), (41984, 2115), (39418, 1404), (34748, 1536), (27554, 1387),
            (28893, 5321), (24325, 1048), (33312, 1899), (32924, 1685),
        ]
        for (came, activated) in measured {
            let isThrash = course.after(102, came: came, scanned: Int(came) - activated)
            #expect(!isThrash)
        }
    }

    @Test func `another level, or a count that falls, begins anew`() {
        var course = Course()
        let seen = [course.after(10, came: 5000, level: 1), course.after(10, came: 5000, level: 1)]
        #expect(seen == [false, true])
        var again = MemoryReading()
        again.instant = course.reading.instant
        again.tightestLevel = 1
        again.refaultedPages = 3
        var watch = course.watch
        watch.observe(again)
        again.refaultedPages = 60
        watch.observe(again)
        #expect(!watch.showsThrash(within: 0, of: MonotonicInstant(nanoseconds: again.instant.nanoseconds + 1)))
    }

    @Test func `a count that cannot be read changes nothing`() {
        var course = Course()
        let isThrash = course.after(10, came: 100)
        #expect(isThrash)
        var blind = course.reading
        blind.refaultedPages = nil
        var watch = course.watch
        watch.observe(blind)
        #expect(watch.showsThrash(within: Self.window, of: blind.instant))
    }
}
