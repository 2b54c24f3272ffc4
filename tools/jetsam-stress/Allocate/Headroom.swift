internal import MemoryPressure

/// The headroom of this process as the library measures it.
enum Headroom {
    static func measured() throws -> Int {
        throw StressError("--limit headroom cannot be measured here")
    }
}
