internal import Jetsam
internal import MemoryPressure

/// Figures as people read them.
enum FigureText {
    static func bytes(_ bytes: Int) -> String { ByteCount(bytes).description }
    static func bytes(_ bytes: Int?) -> String { bytes.map { ByteCount($0).description } ?? "not known" }

    /// The time since the beginning to the millisecond: `0:00:04.250`.
    static func offset(_ nanoseconds: Int) -> String {
        let milliseconds = max(0, nanoseconds) / 1_000_000
        let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        return
            "\(hours):\(minutes.padded(to: 2)):\((milliseconds / 1000 % 60).padded(to: 2)).\((milliseconds % 1000).padded(to: 3))"
    }

    /// From hundredths of a percent.
    static func percent(_ hundredths: Int) -> String {
        let tenths = (hundredths + 5) / 10
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }

    /// Wasted bytes as a part of the released ones.
    static func wastedShare(_ releases: ReleaseAccount.Figures) -> String {
        percent(Int(releases.wastedShare * 10_000))
    }

    static func share(_ part: Duration, of whole: Duration) -> String {
        let all = Double(whole.nanoseconds)
        return all > 0 ? percent(Int(Double(part.nanoseconds) / all * 10_000)) : "0 %"
    }
}
