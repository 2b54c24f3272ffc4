internal import MemoryPressure

/// Growth that is certain, of a figure that jumps for moments: what caches give leaves them and the process at two instants, and between
/// these the rest seems to have grown or shrunk by it.
///
/// It goes by the median of each half second, so that moments do not count.
struct SettledGrowth {
    private static let half: Int64 = 500_000_000
    private static let second: Int64 = 1_000_000_000
    private static let capacity = 64
    /// The most half seconds that `lately` can mean.
    private static let halves = 6

    /// The readings of this half second in order of size. Of full length from the start: a reading may not allocate.
    private var values = [Int](repeating: 0, count: capacity)
    private var count = 0
    private var number = Int64.min
    /// The last medians, the latest first, with the half seconds that they are of.
    private var medians = [(bytes: Int, number: Int64)](repeating: (0, .min), count: halves + 1)
    private var five = GrowthTrend(window: .seconds(5))
    private var ten = GrowthTrend(window: .seconds(10))

    /// The median of the last half second that is over; nil before.
    var latest: Int? { medians[0].number == .min ? nil : medians[0].bytes }

    mutating func reset() {
        count = 0
        number = .min
        for index in 0..<medians.count { medians[index] = (0, .min) }
        five.reset()
        ten.reset()
    }

    mutating func append(_ bytes: Int, at instant: MonotonicInstant) {
        let number = instant.nanoseconds / Self.half
        if number != self.number {
            if count > 0 { settle() }
            self.number = number
            count = 0
        }
        guard count < Self.capacity else { return }
        var place = count
        while place > 0, values[place - 1] > bytes {
            values[place] = values[place - 1]
            place -= 1
        }
        values[place] = bytes
        count += 1
    }

    private mutating func settle() {
        for index in stride(from: Self.halves, to: 0, by: -1) { medians[index] = medians[index - 1] }
        medians[0] = (values[count / 2], number)
        let instant = MonotonicInstant(nanoseconds: number * Self.half)
        five.append(medians[0].bytes, at: instant)
        ten.append(medians[0].bytes, at: instant)
    }

    /// Indicates whether the figure has grown throughout the last five seconds.
    var isRising: Bool { five.bytesPerSecond.map { $0 > 0 } ?? false }

    /// In bytes a second: the least that the figure grew by throughout so many nanoseconds, which are rounded up to five or ten seconds,
    /// and no more than twice as fast as lately. 0 while the window is not full.
    ///
    /// - Parameter lately: The nanoseconds that count as lately: at least one second, and at most three. Of growth in batches, one must
    ///   have come within that time.
    func bytesPerSecond(over nanoseconds: Int64, lately: Int64) -> Int {
        let trend = nanoseconds <= 5 * Self.second ? five.bytesPerSecond : ten.bytesPerSecond
        let before = medians[Int(min(max(lately / Self.half, 2), Int64(Self.halves)))]
        guard let trend, before.number > .min else { return 0 }
        let time = Double(medians[0].number - before.number) / 2
        let rise = Double(medians[0].bytes.subtractingSaturating(before.bytes)) / time
        return min(trend, Int(saturating: max(0, rise * 2)))
    }
}

/// The highest figure of the last ten minutes.
struct HighestBytes {
    private struct Slot {
        var number = Int64.min
        var bytes = Int.min
    }

    /// Nanoseconds of a slot, and how many are remembered.
    private static let length: Int64 = 10_000_000_000
    private static let memory: Int64 = 60

    // Of full length from the start: a reading may not allocate.
    private var slots = [Slot](repeating: Slot(), count: Int(memory) + 1)
    private var largest = Int.min

    mutating func append(_ bytes: Int, at instant: MonotonicInstant) {
        let number = instant.nanoseconds / Self.length
        let index = Int(number % Int64(slots.count))
        if slots[index].number != number || slots[index].bytes < bytes {
            slots[index] = Slot(number: number, bytes: bytes)
        }
        largest = bytes
        for index in 0..<slots.count where slots[index].number > number - Self.memory {
            largest = max(largest, slots[index].bytes)
        }
    }

    /// Returns whether there was not more than that, and so much besides.
    func isReached(by bytes: Int?, tolerance: Int) -> Bool {
        bytes.map { $0 >= largest.subtractingSaturating(tolerance) } ?? false
    }
}
