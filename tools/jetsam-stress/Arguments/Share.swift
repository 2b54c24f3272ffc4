internal import ArgumentParser

/// A part of a whole on a command line: `0.25` or `25%`.
struct Share: ExpressibleByArgument, Hashable {
    static let allowed = "a share such as 0.25 or 25%, from 0 to 1"

    var fraction: Double

    init(_ fraction: Double) {
        self.fraction = fraction
    }

    init?(argument: String) {
        let isPercent = argument.hasSuffix("%")
        let digits = isPercent ? argument.dropLast() : argument[...]
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(digits) else {
            return nil
        }
        let fraction = isPercent ? number / 100 : number
        guard (0...1).contains(fraction) else { return nil }
        self.fraction = fraction
    }

    /// So many of a whole, to the nearest.
    func of(_ count: Int) -> Int {
        Int((fraction * Double(count)).rounded())
    }
}
