package import MemoryPressure

/// The largest size of one cache in the last ten minutes, as far as it was looked at.
package struct LargestSize {
    private static let memory = Duration.seconds(600)
    /// At `warning` a cache keeps this part of it: a shortage that lasts is no reason to be empty for as long.
    private static let keptPart = 4

    private var bytes = 0
    private var instant: MonotonicInstant?

    package init() {}

    package mutating func note(_ bytes: Int, at now: MonotonicInstant) {
        // Sizes from before a maximum that is too old are no longer known.
        if let instant, bytes < self.bytes, instant.duration(to: now) < Self.memory { return }
        self.bytes = bytes
        instant = now
    }

    package var keptBytes: Int { bytes / Self.keptPart }
}
