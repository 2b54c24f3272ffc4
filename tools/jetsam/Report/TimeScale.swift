internal import MemoryPressure

/// The axis of time: labelled ticks at round distances from the beginning.
struct TimeScale {
    struct Tick {
        var place: Double
        var text: String
    }

    let ticks: [Tick]

    /// - Parameter length: In nanoseconds.
    init(length: Int) {
        let milliseconds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000]
        let minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 7 * 1440, 30 * 1440, 365 * 1440]
        let steps = milliseconds.map { $0 * 1_000_000 } + minutes.map { $0 * 60_000_000_000 }
        let step = steps.first { length / $0 <= 6 } ?? max(1, length / 6)
        ticks = (0...(length / step)).map { index in
            Tick(
                place: Double(index * step) / Double(max(1, length)),
                text: index == 0 ? "0" : Duration.nanoseconds(Int64(index * step)).shortText)
        }
    }
}
