package import MemoryPressure

/// A hard limit that somebody is about to set. While it is awaited, limits of caches do not rise.
package struct AnnouncedLimit: Equatable, Sendable {
    package var bytes: Int
    /// The time from which it is awaited no longer.
    package var until: MonotonicInstant

    package init(bytes: Int, until: MonotonicInstant) {
        self.bytes = bytes
        self.until = until
    }

    /// Returns whether it has not been set yet and may still be.
    package func isAwaited(_ reading: MemoryReading, at now: MonotonicInstant) -> Bool {
        now < until && !(reading.isLimited && reading.limitBytes <= bytes)
    }

    /// Returns what is awaited where another is awaited too: the lower number, until the later end.
    package func joined(with other: AnnouncedLimit?) -> AnnouncedLimit {
        guard let other else { return self }
        return AnnouncedLimit(bytes: min(bytes, other.bytes), until: max(until, other.until))
    }
}
