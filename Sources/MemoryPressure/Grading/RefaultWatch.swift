/// Turns counts of pages that came back after the kernel had taken them into evidence that a working set does not fit.
struct RefaultWatch {
    private struct Mark {
        var instant: MonotonicInstant
        var pages: UInt64
        var scanned: Int
    }

    /// So many pages that come back are thrash rather than a page or two of a program: 256 KiB with 4 KiB pages.
    private static let fewestPages: UInt64 = 64
    /// The part of them that a working set has at least. Measured: of a file read in random order 27 to 70 % in each second; of one read
    /// from end to end mostly nothing, and up to 6 % for a second in which the kernel had taken many of its pages for active ones. Thrash
    /// beside a scan that brings more than so many times its pages is not seen.
    private static let leastPart: UInt64 = 8

    private var level = 0
    private var latest: Mark?
    /// A mark that is one to two seconds old where readings come as often; where they do not, the last but one.
    private var base: Mark?
    private var nextBase: Mark?
    private var lastSeen: MonotonicInstant?

    mutating func observe(_ reading: MemoryReading) {
        guard let pages = reading.refaultedPages else { return }
        let mark = Mark(instant: reading.instant, pages: pages, scanned: reading.scannedPages)
        if let latest, level == reading.tightestLevel, pages >= latest.pages {
            if pages >= latest.pages + Self.fewestPages { lastSeen = reading.instant }
            if let next = nextBase, next.instant.duration(to: reading.instant) >= .nanoseconds(StallWindow.length / 2) {
                base = next
                nextBase = mark
            }
        } else {
            base = mark
            nextBase = mark
        }
        level = reading.tightestLevel
        latest = mark
    }

    /// Returns whether pages came back here within that many nanoseconds before `now`, and enough of them belong to a working set.
    func showsThrash(within nanoseconds: Int64, of now: MonotonicInstant) -> Bool {
        guard let lastSeen, now.nanoseconds - lastSeen.nanoseconds <= nanoseconds, let latest, let base else {
            return false
        }
        let came = latest.pages - base.pages
        let inUse = came - min(came, UInt64(max(0, latest.scanned.subtractingSaturating(base.scanned))))
        return inUse >= came / Self.leastPart
    }
}
