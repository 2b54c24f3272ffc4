extension Int {
    /// `value` without its fraction; the nearest integer where that does not fit, and 0 for not-a-number.
    package init(saturating value: Double) {
        // 2^63 is the first value that does not fit.
        if value >= 0x1p63 {
            self = .max
        } else if value < -0x1p63 {
            self = .min
        } else {
            self = value.isNaN ? 0 : Int(value)
        }
    }

    /// The sum, or the nearest integer where that does not fit.
    package func addingSaturating(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest integer where that does not fit.
    package func subtractingSaturating(_ other: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
