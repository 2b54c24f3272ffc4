internal import ArgumentParser

/// A length of time on a command line: `500ms`, `5s`, `2m`, `1h`; a bare number is seconds.
struct Span: ExpressibleByArgument, Hashable {
    static let allowed = "a time such as 500ms, 5s, 2m or 1h"

    var duration: Duration

    init(_ duration: Duration) {
        self.duration = duration
    }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits) else { return nil }
        let seconds: [String: Double] = ["us": 1e-6, "ms": 1e-3, "": 1, "s": 1, "m": 60, "min": 60, "h": 3600]
        guard let unit = seconds[String(argument.dropFirst(digits.count))], number * unit < 1e9 else { return nil }
        duration = .nanoseconds(Int64((number * unit * 1e9).rounded()))
    }

    var defaultValueDescription: String { duration.shortText }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// Seconds with one decimal, or whole milliseconds under a second: `5.0 s`, `250 ms`.
    var shortText: String {
        let milliseconds = Int((inSeconds * 1000).rounded())
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let tenths = (milliseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
