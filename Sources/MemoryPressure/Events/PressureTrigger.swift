/// A trigger to arm on a PSI file: so much stall within so long a window.
package struct PressureTrigger: Sendable, Hashable {
    /// The tasks whose waiting counts.
    package enum Kind: String, Sendable {
        /// Some task waited.
        case some
        /// All tasks waited.
        case full
    }

    package var kind: Kind
    /// The waiting time within a window that fires it.
    package var stall: Duration
    /// The window; the kernel takes 500 ms to 10 s, without CAP_SYS_RESOURCE only multiples of 2 s.
    package var window: Duration
    /// The level that its firing stands for.
    package var grade: PressureLevel

    package init(kind: Kind, stall: Duration, window: Duration, grade: PressureLevel) {
        self.kind = kind
        self.stall = stall
        self.window = window
        self.grade = grade
    }

    /// Some task waiting for the share of two seconds at which stall is a warning.
    package static let warning = standard(.warning)
    /// Some task waiting for the share of two seconds at which stall is critical.
    package static let critical = standard(.critical)

    private static func standard(_ grade: PressureLevel) -> PressureTrigger {
        let window = Duration.nanoseconds(StallWindow.length)
        let percent = StallGrade.Thresholds().percent(of: grade)
        return PressureTrigger(kind: .some, stall: window / 100 * percent, window: window, grade: grade)
    }

    /// The bytes to write into the file. The kernel overwrites the last byte, so the text needs a NUL of its own at its end.
    package var bytes: [UInt8] {
        Array("\(kind.rawValue) \(stall.nanoseconds / 1000) \(window.nanoseconds / 1000)".utf8) + [0]
    }

    /// The same share of the next window that is open to everybody; nil where this one is, or where there is none.
    package var unprivileged: PressureTrigger? {
        let step = StallWindow.length
        let (old, limit) = (window.nanoseconds, Duration.seconds(10).nanoseconds)
        let new = (old + step - 1) / step * step
        guard old > 0, new != old, new <= limit else { return nil }
        var trigger = self
        trigger.window = .nanoseconds(new)
        trigger.stall = .nanoseconds(Int64(Double(stall.nanoseconds) * Double(new) / Double(old)))
        return trigger
    }
}
