internal import ArgumentParser
internal import MemoryPressure

/// A length of time on a command line: `500ms`, `5s`, `2m`, `1h`; a bare number is seconds.
package struct Span: ExpressibleByArgument, Hashable {
    package static let allowed = "a time such as 500ms, 5s, 2m or 1h"

    package var duration: Duration

    package init(_ duration: Duration) {
        self.duration = duration
    }

    package init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits) else { return nil }
        let seconds: [String: Double] = ["us": 1e-6, "ms": 1e-3, "": 1, "s": 1, "m": 60, "min": 60, "h": 3600]
        guard let unit = seconds[String(argument.dropFirst(digits.count))], number * unit < 1e9 else { return nil }
        duration = .nanoseconds(Int64((number * unit * 1e9).rounded()))
    }

    package var defaultValueDescription: String { duration.shortText }
}
