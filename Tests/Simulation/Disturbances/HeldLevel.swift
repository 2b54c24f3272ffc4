import MemoryPressure

/// A level that somebody holds for a while, as `jetsam simulate` does. It is no shortage.
struct HeldLevel {
    let level: PressureLevel
    /// When it begins, and how long it lasts, in nanoseconds.
    let begin: Int64
    let duration: Int64

    var end: Int64 { begin + duration }
}
