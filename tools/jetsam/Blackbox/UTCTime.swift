/// An instant of the wall clock as `2026-03-29 01:30:00 UTC`.
struct UTCTime: CustomStringConvertible {
    var nanoseconds: Int64

    var description: String {
        func floored(_ value: Int64, _ by: Int64) -> (quotient: Int64, remainder: Int64) {
            let (quotient, remainder) = value.quotientAndRemainder(dividingBy: by)
            return remainder < 0 ? (quotient - 1, remainder + by) : (quotient, remainder)
        }
        let (day, second) = floored(floored(nanoseconds, 1_000_000_000).quotient, 86400)
        // Counted from the first of March of the year 0, so that a leap day is a year's last; after Howard Hinnant's "days" algorithms.
        let (era, dayOfEra) = floored(day + 719_468, 146_097)
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        let date = [dayOfYear - (153 * march + 2) / 5 + 1, month]
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(year + era * 400 + (month <= 2 ? 1 : 0))-\(two(date[1]))-\(two(date[0])) "
            + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) UTC"
    }
}
