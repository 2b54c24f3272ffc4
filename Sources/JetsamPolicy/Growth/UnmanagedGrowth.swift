internal import MemoryPressure

/// The growth of unmanaged memory, over several windows, and the bytes by which it may grow within a lead time.
///
/// Memory that a cache gave is no growth of the rest. But between the answer and the fall of the footprint, and for as long as
/// the allocator retains what was freed, it would look like growth. Such bytes are owed, and are taken off what unmanaged memory
/// seems to have grown by.
struct UnmanagedGrowth {
    private struct Sample {
        var instant: MonotonicInstant
        var unreclaimable: Int
        var managed: Int
        var footprint: Int
    }

    /// A slope is not drawn out beyond so many times the time that it was seen for.
    private static let reach = 5
    /// What grew between readings that were further apart, in nanoseconds, may have come at once; and what grew faster than this, in
    /// bytes a second, has: no more than what readings are taken to keep up with by default.
    private static let jump: Int64 = 50_000_000
    private static let fastest = Double(3 << 30)
    private static let longer = [Duration.seconds(1), .seconds(5)]

    private let shortest: Int64
    private var short: GrowthTrend
    private var middle: GrowthTrend
    private var long: GrowthTrend
    private var last: Sample?
    /// Unmanaged memory without what is owed, in bytes; only differences mean anything.
    private var total = 0
    /// The rises of unmanaged memory that comes and goes.
    package private(set) var rise = LargestUnmanagedRise()
    /// Bytes that caches gave and that are still in the footprint.
    private var owed = 0
    /// Bytes that were asked for at the last reading and had not come, and those of them that may hide growth still.
    private var lastInFlight = 0
    private var hideable = 0
    /// Nanoseconds between the two readings that showed growth last, with nothing hidden, and since then.
    private var seenNanoseconds: Int64 = 0
    private var unseenNanoseconds: Int64 = 0
    /// The slopes between the last readings, in bytes a second, with the nanoseconds between them.
    private var latest: (bytesPerSecond: Double, nanoseconds: Int64)?
    private var previous: (bytesPerSecond: Double, nanoseconds: Int64)?
    /// Nanoseconds for which growth has been about as steep as it is.
    private var lasted: Int64 = 0
    /// Sustained growth over the shortest window, in bytes a second; nil while too little has been seen.
    package private(set) var bytesPerSecond: Int?
    private var middleRate = 0
    private var longRate = 0

    /// - Parameter window: The shortest window.
    init(window: Duration) {
        shortest = window.nanoseconds
        short = GrowthTrend(window: window)
        middle = GrowthTrend(window: Self.longer[0])
        long = GrowthTrend(window: Self.longer[1])
    }

    mutating func reset() {
        short.reset()
        middle.reset()
        long.reset()
        rise.pause()
        last = nil
        latest = nil
        previous = nil
        owed = 0
        lastInFlight = 0
        hideable = 0
        bytesPerSecond = nil
        middleRate = 0
        longRate = 0
    }

    /// - Parameter inFlightBytes: Bytes that caches were asked for and have not answered.
    mutating func append(_ reading: MemoryReading, managedBytes: Int, inFlightBytes: Int = 0) {
        let sample = Sample(
            instant: reading.instant, unreclaimable: reading.unreclaimableBytes, managed: managedBytes,
            footprint: reading.footprintBytes)
        if let last {
            let nanoseconds = last.instant.duration(to: sample.instant).nanoseconds
            guard nanoseconds > 0 else { return }
            let grown = growth(from: last, to: sample, nanoseconds)
            total = total.addingSaturating(grown)
            let hidden = hiddenGrowth(seen: grown, nanoseconds, inFlightBytes)
            previous = latest
            let slope = Double(grown.addingSaturating(hidden)) / Double(nanoseconds) * 1e9
            let goesOn = previous.map { slope >= $0.bytesPerSecond / 2 && $0.bytesPerSecond >= slope / 2 } ?? false
            lasted = goesOn ? lasted + nanoseconds : nanoseconds
            latest = (slope, nanoseconds)
        }
        last = sample
        rise.append(total, at: sample.instant)
        short.append(total, at: sample.instant)
        middle.append(total, at: sample.instant)
        long.append(total, at: sample.instant)
        bytesPerSecond = short.bytesPerSecond
        middleRate = middle.bytesPerSecond ?? 0
        longRate = long.bytesPerSecond ?? 0
    }

    /// Returns the growth that may be hidden by what caches gave and have not reported: it is taken to have gone on as it was seen before,
    /// for a few times as long, and for no more bytes than they were asked for.
    private mutating func hiddenGrowth(seen grown: Int, _ nanoseconds: Int64, _ inFlightBytes: Int) -> Int {
        let most = max(inFlightBytes, lastInFlight)
        hideable = min(most, hideable.addingSaturating(max(0, inFlightBytes - lastInFlight)))
        lastInFlight = inFlightBytes
        unseenNanoseconds += nanoseconds
        let before = Int(saturating: (latest?.bytesPerSecond ?? 0) * Double(nanoseconds) * 1e-9)
        let isJump = seenNanoseconds > Self.jump || latest.map { $0.bytesPerSecond > Self.fastest } ?? true
        let isKnown = !isJump && unseenNanoseconds <= seenNanoseconds * Int64(Self.reach)
        let hidden = isKnown ? min(hideable, max(0, before.subtractingSaturating(grown))) : 0
        hideable -= hidden
        if hidden == 0 {
            seenNanoseconds = nanoseconds
            unseenNanoseconds = 0
        }
        return hidden
    }

    private mutating func growth(from last: Sample, to sample: Sample, _ nanoseconds: Int64) -> Int {
        let managed = sample.managed.subtractingSaturating(last.managed)
        let refilled = max(0, managed)
        owed = owed.addingSaturating(max(0, -managed))
        // If bytes were owed, bytes that left the footprint were those, and so was growth of caches that did not raise the
        // footprint; beside what grew meanwhile as it had before.
        let left = refilled.subtractingSaturating(sample.footprint.subtractingSaturating(last.footprint))
        var paid = 0
        if left > 0, owed > 0 {
            let meanwhile = Int(saturating: Double(bytesPerSecond ?? 0) * Double(nanoseconds) * 1e-9)
            paid = min(owed, left.addingSaturating(meanwhile))
            owed -= paid
        }
        let seen = sample.unreclaimable.subtractingSaturating(last.unreclaimable)
        return seen.subtractingSaturating(refilled).addingSaturating(paid)
    }

    /// The most that unmanaged memory may grow by within so many nanoseconds: by the steepest of the windows that are full, and of
    /// the last two readings where both show growth.
    func mostBytes(within nanoseconds: Int64) -> Int {
        func drawn(_ rate: Double, _ seen: Int64) -> Double {
            rate * Double(min(nanoseconds, seen * Int64(Self.reach))) * 1e-9
        }
        var most = max(
            drawn(Double(bytesPerSecond ?? 0), shortest), drawn(Double(middleRate), Self.longer[0].nanoseconds),
            drawn(Double(longRate), Self.longer[1].nanoseconds))
        if let latest, let previous {
            // A table that doubled is one jump, and not the beginning of many.
            let rate = min(latest.bytesPerSecond, previous.bytesPerSecond)
            // It is taken to go on for as long as it has lasted.
            let time = max(min(latest.nanoseconds, shortest) * Int64(Self.reach), lasted)
            most = max(most, rate * Double(min(nanoseconds, time)) * 1e-9)
        }
        return Int(saturating: max(0, most))
    }

    /// Milliseconds in which so many bytes are gone at the growth between the last two readings; nil where there was none.
    func millisecondsAtOnce(toGrow bytes: Int) -> Int? {
        guard let latest, latest.bytesPerSecond > 0 else { return nil }
        return Int(saturating: min(1e12, Double(max(0, bytes)) / latest.bytesPerSecond * 1e3))
    }

    /// Milliseconds in which it may grow by so many bytes; nil where none of the windows has seen growth for long enough to say that.
    func milliseconds(toGrow bytes: Int) -> Int? {
        func drawn(_ rate: Int, _ seen: Int64) -> Double {
            let nanoseconds = rate > 0 ? Double(max(0, bytes)) / Double(rate) * 1e9 : .infinity
            return nanoseconds <= Double(seen * Int64(Self.reach)) ? nanoseconds : .infinity
        }
        let least = min(
            drawn(bytesPerSecond ?? 0, shortest), drawn(middleRate, Self.longer[0].nanoseconds),
            drawn(longRate, Self.longer[1].nanoseconds))
        return least < .infinity ? Int(saturating: least * 1e-6) : nil
    }

    /// The steepest of the windows, in bytes a second; 0 where there is no growth.
    var steepest: Int { max(bytesPerSecond ?? 0, middleRate, longRate) }

    /// The same with what the last readings show, for as long as a step: growth that has just begun fills no window.
    var steepestNow: Int {
        guard let latest, let previous else { return steepest }
        return max(steepest, Int(saturating: min(latest.bytesPerSecond, previous.bytesPerSecond)))
    }
}
