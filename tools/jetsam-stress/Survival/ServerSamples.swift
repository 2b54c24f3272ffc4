internal import MemoryPressure

/// What a demo server wrote of itself, fifty times a second.
struct ServerSamples {
    struct Sample: Equatable {
        var instant = MonotonicInstant(nanoseconds: 0)
        var cacheBytes = 0
        var hits = 0
        var misses = 0
        var releasedBytes = 0
        var refetchedBytes = 0
        var cpuMicroseconds = 0
        /// 0 at `normal`, 1 at `warning`, 2 at `critical`.
        var level = 0
    }

    /// In the order of their time.
    let samples: [Sample]

    /// - Parameter text: The file that `demo-server --samples` writes. A line that is cut off is left out.
    init(_ text: String) {
        samples = text.split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { Int64($0) }
            guard numbers.count == 8 else { return nil }
            return Sample(
                instant: MonotonicInstant(nanoseconds: numbers[0]), cacheBytes: Int(numbers[1]), hits: Int(numbers[2]),
                misses: Int(numbers[3]), releasedBytes: Int(numbers[4]), refetchedBytes: Int(numbers[5]),
                cpuMicroseconds: Int(numbers[6]), level: Int(numbers[7]))
        }
    }

    /// The newest sample at that time; one of zeros before the first.
    func at(_ instant: MonotonicInstant) -> Sample {
        var low = 0
        var high = samples.count
        while low < high {
            let middle = (low + high) / 2
            if samples[middle].instant <= instant { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? samples[low - 1] : Sample()
    }

    /// The time at that level between the two instants, as far as there are samples.
    func time(at level: Int, from start: MonotonicInstant, to end: MonotonicInstant) -> Duration {
        zip(samples, samples.dropFirst()).reduce(.zero) { sum, pair in
            let (first, next) = (max(pair.0.instant, start), min(pair.1.instant, end))
            return pair.0.level == level && first < next ? sum + first.duration(to: next) : sum
        }
    }
}
