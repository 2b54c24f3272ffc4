internal import MemoryPressure

extension Duration {
    /// Seconds with one decimal, or whole milliseconds under a second: `5.0 s`, `250 ms`.
    package var shortText: String {
        let milliseconds = Int((inSeconds * 1000).rounded())
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let tenths = (milliseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
