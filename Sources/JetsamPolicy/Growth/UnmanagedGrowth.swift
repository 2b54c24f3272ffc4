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
    /// The growth between the last readings.
    private var latest = LatestGrowth()
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
        latest = LatestGrowth()
        owed = 0
        bytesPerSecond = nil
        middleRate = 0
        longRate = 0
    }

    /// - Parameters:
    ///   - inFlightBytes: Bytes that caches were asked for and have not answered.
    ///   - fastest: What grows faster, in bytes a second, is one jump.
    mutating func append(_ reading: MemoryReading, managedBytes: Int, inFlightBytes: Int, fastest: Int) {
        let sample = Sample(
            instant: reading.instant, unreclaimable: reading.unreclaimableBytes, managed: managedBytes,
            footprint: reading.footprintBytes)
        if let last {
            let nanoseconds = last.instant.duration(to: sample.instant).nanoseconds
            guard nanoseconds > 0 else { return }
            let grown = growth(from: last, to: sample, nanoseconds)
            total = total.addingSaturating(grown)
            latest.append(grown, in: nanoseconds, inFlightBytes: inFlightBytes, fastest: fastest)
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
            rate * Double(min(nanoseconds, seen * Int64(LatestGrowth.reach))) * 1e-9
        }
        var most = max(
            drawn(Double(bytesPerSecond ?? 0), shortest), drawn(Double(middleRate), Self.longer[0].nanoseconds),
            drawn(Double(longRate), Self.longer[1].nanoseconds))
        if let rate = latest.sharedBytesPerSecond {
            most = max(most, rate * Double(min(nanoseconds, latest.nanosecondsToGoOn(window: shortest))) * 1e-9)
        }
        return Int(saturating: max(0, most))
    }

    /// Milliseconds in which it may grow by so many bytes; nil where none of the windows has seen growth for long enough to say that.
    func milliseconds(toGrow bytes: Int) -> Int? {
        func drawn(_ rate: Int, _ seen: Int64) -> Double {
            let nanoseconds = rate > 0 ? Double(max(0, bytes)) / Double(rate) * 1e9 : .infinity
            return nanoseconds <= Double(seen * Int64(LatestGrowth.reach)) ? nanoseconds : .infinity
        }
        let least = min(
            drawn(bytesPerSecond ?? 0, shortest), drawn(middleRate, Self.longer[0].nanoseconds),
            drawn(longRate, Self.longer[1].nanoseconds))
        return least < .infinity ? Int(saturating: least * 1e-6) : nil
    }

    /// The same at the growth between the last two readings.
    func millisecondsAtOnce(toGrow bytes: Int) -> Int? { latest.milliseconds(toGrow: bytes) }

    /// The steepest of the windows, in bytes a second; 0 where there is no growth.
    var steepest: Int { max(bytesPerSecond ?? 0, middleRate, longRate) }

    /// The same with what the last readings show, for as long as a step: growth that has just begun fills no window.
    var steepestNow: Int {
        max(steepest, Int(saturating: latest.sharedBytesPerSecond ?? 0))
    }

    /// Indicates whether nothing moved between the last three readings, beside the steepest growth. A burst too short for any window
    /// is part of that for as long as caches may hide more of it.
    var hasPaused: Bool { latest.hasPaused(after: steepestNow) }

    /// The most that it grew by between two of the last three readings, in bytes.
    var jumpBytes: Int { latest.largestBytes }
}
