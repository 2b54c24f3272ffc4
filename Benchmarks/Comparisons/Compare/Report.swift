internal import Foundation

/// The tables on standard output.
enum Report {
    /// A step of a run, with the time at which it begins.
    static func step(_ text: String) {
        print(String(format: "\n==> [%3d s] ", Measuring.secondsSinceStart()) + text)
    }

    static func show(_ figures: Figures) {
        step("medians, and in brackets the lowest and the highest")
        var name = ""
        for row in figures.rows.sorted(by: { $0.name < $1.name }) {
            if row.name != name { print(row.name) }
            name = row.name
            let range = figures.range(of: row)
            print(
                "  " + row.who.padding(toLength: 16, withPad: " ", startingAt: 0)
                    + String(format: " %12.4g ", row.value)
                    + row.unit.padding(toLength: 12, withPad: " ", startingAt: 0)
                    + String(format: " (%.4g .. %.4g)", range.lowerBound, range.upperBound))
        }
    }

    /// Shows each bound, what was measured, and whether it holds. Returns false where one does not.
    static func judge(_ bounds: [Bound], _ figures: Figures) -> Bool {
        step("against the bounds")
        return bounds.reduce(true) { judge($1, figures) && $0 }
    }

    private static func judge(_ bound: Bound, _ figures: Figures) -> Bool {
        let what = bound.what.padding(toLength: 66, withPad: " ", startingAt: 0)
        do throws(MissingFigure) {
            let measured = try bound.measure(figures)
            let limit = try bound.limit(figures)
            let text = limit.text.padding(toLength: 10, withPad: " ", startingAt: 0)
            print(what + String(format: " %10.4g   ", measured) + text + (limit.holds(measured) ? " PASS" : " MISS"))
            return limit.holds(measured)
        } catch {
            print("\(what) MISS: \(error)")
            return false
        }
    }
}
