internal import MemoryPressure

/// The speed at which a quantity of bytes has been growing, from its latest readings.
///
/// The growth is the least of three least-squares fits: over the whole window, its first and its second half. A single jump, such
/// as a table that doubled, is steep in one half and flat in the other, and so is not taken for a trend.
struct GrowthTrend {
    private struct Point {
        var nanoseconds: Int64
        var bytes: Int
    }

    private static let capacity = 128
    static let fewestReadings = 8
    // Made once at full length and then written in place: a reading must not allocate.
    private var points = [Point](repeating: Point(nanoseconds: 0, bytes: 0), count: capacity)
    private var count = 0
    private var next = 0
    private let window: Int64
    private let spacing: Int64

    init(window: Duration) {
        self.window = window.nanoseconds
        // So many points fit the window that the ring always covers it.
        spacing = self.window / Int64(Self.capacity - Self.fewestReadings)
    }

    mutating func reset() {
        count = 0
        next = 0
    }

    mutating func append(_ bytes: Int, at instant: MonotonicInstant) {
        if count > 0, instant.nanoseconds - point(count - 1).nanoseconds < spacing { return }
        points[next] = Point(nanoseconds: instant.nanoseconds, bytes: bytes)
        next = (next + 1) % Self.capacity
        count = min(count + 1, Self.capacity)
    }

    /// Bytes a second; nil until the window is full, 0 where the quantity does not grow throughout it.
    var bytesPerSecond: Int? {
        guard count >= Self.fewestReadings else { return nil }
        let last = point(count - 1).nanoseconds
        var first = count - Self.fewestReadings
        while first > 0, last - point(first).nanoseconds < window { first -= 1 }
        guard last - point(first).nanoseconds >= window else { return nil }
        let middle = (first + count) / 2
        let slope = min(fit(first, count), min(fit(first, middle), fit(middle, count)))
        return Int(min(1e18, max(0, slope)))
    }

    /// The i-th oldest point.
    private func point(_ index: Int) -> Point {
        points[(next - count + index + 2 * Self.capacity) % Self.capacity]
    }

    /// The slope of the least-squares line through the points in `start..<end`, in bytes a second.
    private func fit(_ start: Int, _ end: Int) -> Double {
        let origin = point(start)
        let n = Double(end - start)
        var sumX = 0.0
        var sumY = 0.0
        var sumXX = 0.0
        var sumXY = 0.0
        for index in start..<end {
            let point = point(index)
            let x = Double(point.nanoseconds - origin.nanoseconds) * 1e-9
            let y = Double(point.bytes - origin.bytes)
            sumX += x
            sumY += y
            sumXX += x * x
            sumXY += x * y
        }
        let spread = n * sumXX - sumX * sumX
        return spread > 0 ? (n * sumXY - sumX * sumY) / spread : 0
    }
}
