internal import MemoryPressure

/// The growth of unmanaged memory between the last readings, before any window is full of it.
///
/// While caches give, what they have not reported yet hides growth: footprint falls, and what they report does not. Growth is taken to
/// have gone on then as it was seen before.
struct LatestGrowth {
    /// The growth between two readings.
    private struct Slope {
        /// With what caches hid.
        var bytes: Int
        /// Without that.
        var seenBytes: Int
        var nanoseconds: Int64

        var bytesPerSecond: Double { Double(bytes) / Double(nanoseconds) * 1e9 }
    }

    /// A slope is not drawn out beyond so many times the time that it was seen for.
    static let reach = 5
    /// Growth by less than this part of what it was is none.
    private static let littleShare = 16.0
    /// What grew between readings that were further apart, in nanoseconds, may have come at once.
    private static let jump: Int64 = 50_000_000

    private var latest: Slope?
    private var previous: Slope?
    /// Nanoseconds for which growth has been about as steep as it is.
    private var lasted: Int64 = 0
    /// Bytes that had been asked for at the last reading and had not come.
    private var inFlightBytes = 0
    /// Bytes of these that may hide growth still.
    private var hideableBytes = 0
    /// Nanoseconds between the two readings that last showed growth as it is.
    private var shownNanoseconds: Int64 = 0
    /// Nanoseconds since then.
    private var hiddenNanoseconds: Int64 = 0

    /// - Parameters:
    ///   - grown: Bytes that unmanaged memory has grown by since the last reading, so many nanoseconds before this one.
    ///   - inFlightBytes: Bytes that caches were asked for and have not answered.
    ///   - fastest: What grows faster, in bytes a second, is one jump.
    mutating func append(_ grown: Int, in nanoseconds: Int64, inFlightBytes: Int, fastest: Int) {
        let bytes = grown.addingSaturating(hidden(beside: grown, nanoseconds, inFlightBytes, Double(fastest)))
        previous = latest
        latest = Slope(bytes: bytes, seenBytes: grown, nanoseconds: nanoseconds)
        lasted = goesOn ? lasted + nanoseconds : nanoseconds
    }

    /// Indicates whether growth is about as steep as between the two readings before.
    private var goesOn: Bool {
        guard let latest, let previous else { return false }
        let (now, before) = (latest.bytesPerSecond, previous.bytesPerSecond)
        return now >= before / 2 && before >= now / 2
    }

    /// Returns the bytes of growth that caches may hide: as much as it would have gone on by, for a few times as long as it was seen, and no
    /// more than caches were asked for. After a single jump they hid nothing where memory stands still: it
    /// hardly grows by exactly what they give.
    private mutating func hidden(
        beside grown: Int, _ nanoseconds: Int64, _ inFlightBytes: Int, _ fastest: Double
    ) -> Int {
        let most = max(inFlightBytes, self.inFlightBytes)
        let asked = max(0, inFlightBytes.subtractingSaturating(self.inFlightBytes))
        hideableBytes = min(most, hideableBytes.addingSaturating(asked))
        self.inFlightBytes = inFlightBytes
        hiddenNanoseconds += nanoseconds
        var hidden = 0
        if let latest, latest.bytesPerSecond <= fastest, shownNanoseconds <= Self.jump,
            hiddenNanoseconds <= shownNanoseconds * Int64(Self.reach)
        {
            let goneOn = Int(saturating: latest.bytesPerSecond * Double(nanoseconds) * 1e-9)
            let wasJump = lasted <= shownNanoseconds && isLittle(grown, beside: Double(goneOn))
            if !wasJump { hidden = min(hideableBytes, max(0, goneOn.subtractingSaturating(grown))) }
        }
        hideableBytes -= hidden
        if hidden == 0 { (shownNanoseconds, hiddenNanoseconds) = (nanoseconds, 0) }
        return hidden
    }

    /// The growth that the last two slopes have in common, in bytes a second; nil before there are two. A table that doubled is one jump,
    /// and not the beginning of many.
    var sharedBytesPerSecond: Double? {
        guard let latest, let previous else { return nil }
        return min(latest.bytesPerSecond, previous.bytesPerSecond)
    }

    /// Returns whether nothing moved between the last three readings, beside growth, in bytes a second, that was seen before. Nothing was
    /// given then either that could hide growth.
    func hasPaused(after bytesPerSecond: Int) -> Bool {
        guard let latest, let previous, bytesPerSecond > 0 else { return false }
        func isStill(_ slope: Slope) -> Bool {
            isLittle(slope.seenBytes, beside: Double(bytesPerSecond) * Double(slope.nanoseconds) * 1e-9)
        }
        return isStill(latest) && isStill(previous)
    }

    /// Returns whether bytes are next to nothing beside those by which growth would have gone on.
    private func isLittle(_ bytes: Int, beside goneOn: Double) -> Bool {
        Double(bytes.magnitude) <= goneOn / Self.littleShare
    }

    /// The bytes of the larger of the last two slopes, a single jump though it may be. It is 0 where there was no growth.
    var largestBytes: Int { max(0, latest?.bytes ?? 0, previous?.bytes ?? 0) }

    /// Nanoseconds for which it is taken to go on: as long as it has lasted, or a few times as long as it was seen.
    ///
    /// - Parameter window: What was seen for longer than this counts as a window's.
    func nanosecondsToGoOn(window: Int64) -> Int64 {
        max(min(latest?.nanoseconds ?? 0, window) * Int64(Self.reach), lasted)
    }

    /// Milliseconds in which so many bytes are gone at the growth between the last two readings, a single jump though it may be; nil where
    /// there was none.
    func milliseconds(toGrow bytes: Int) -> Int? {
        guard let latest, latest.bytesPerSecond > 0 else { return nil }
        return Int(saturating: min(1e12, Double(max(0, bytes)) / latest.bytesPerSecond * 1e3))
    }
}
