/// The kind of change of the date or the time of day, as ``LifecycleObserver/significantTimeChange(_:)`` tells it.
public struct SignificantTimeChange: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    private enum Code: String, Sendable, CaseIterable {
        case midnight, timeZone, wallClock
    }

    private let code: Code

    /// A day has begun in the local time zone. Told once for all midnights that passed while the process did not run.
    public static let midnight = SignificantTimeChange(code: .midnight)
    /// The local time is ahead of UTC by another time than before: the time zone was changed, or summer time has begun or ended.
    public static let timeZone = SignificantTimeChange(code: .timeZone)
    /// The wall clock was set, by a second or more.
    public static let wallClock = SignificantTimeChange(code: .wallClock)

    /// Every change that there is.
    public static var allCases: [SignificantTimeChange] { Code.allCases.map { SignificantTimeChange(code: $0) } }

    /// The change in a word.
    public var description: String { code.rawValue }
}
