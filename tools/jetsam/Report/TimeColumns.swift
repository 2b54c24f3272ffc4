internal import MemoryPressure

/// Everything that is plotted, thinned while it is read to at most ``capacity`` columns of equal time.
///
/// A column keeps the lowest and the highest of each gauge, so that no peak is lost. When the columns are used up, each two become
/// one of twice the time: whatever the length of a trace, it takes the same memory and one pass.
struct TimeColumns {
    static let capacity = 1024

    let start: MonotonicInstant
    private(set) var nanosecondsPerColumn = 1_000_000
    /// The columns in use.
    private(set) var count = 0
    /// The time that was seen, in nanoseconds since the start.
    private(set) var length = 0

    private var extents = [[Extent]](
        repeating: [Extent](repeating: .empty, count: capacity), count: Gauge.allCases.count)
    private var sums = [[Int]](repeating: [Int](repeating: 0, count: capacity), count: Amount.allCases.count)
    private var levels = [PressureLevel](repeating: .normal, count: capacity)
    private var breaks = [Bool](repeating: false, count: capacity)

    init(start: MonotonicInstant) {
        self.start = start
    }

    // MARK: - Filling in

    mutating func set(_ gauge: Gauge, _ value: Int?, at instant: MonotonicInstant) {
        guard let value else { return }
        let column = column(at: instant)
        extents[gauge.rawValue][column].include(value)
    }

    /// The value held all the time between the two instants.
    mutating func set(_ gauge: Gauge, _ value: Int, from: MonotonicInstant, to: MonotonicInstant) {
        let last = column(at: to)
        for column in min(column(at: from), last)...last { extents[gauge.rawValue][column].include(value) }
    }

    mutating func add(_ amount: Amount, _ bytes: Int, at instant: MonotonicInstant) {
        let column = column(at: instant)
        sums[amount.rawValue][column] = sums[amount.rawValue][column].addingSaturating(max(0, bytes))
    }

    mutating func set(_ level: PressureLevel, from: MonotonicInstant, to: MonotonicInstant) {
        let last = column(at: to)
        for column in min(column(at: from), last)...last { levels[column] = max(levels[column], level) }
    }

    /// Records are missing here: lines are not drawn across it.
    mutating func `break`(at instant: MonotonicInstant) {
        breaks[column(at: instant)] = true
    }

    private mutating func column(at instant: MonotonicInstant) -> Int {
        let offset = max(0, Int(instant.nanoseconds).subtractingSaturating(Int(start.nanoseconds)))
        while offset / nanosecondsPerColumn >= Self.capacity { halve() }
        length = max(length, offset)
        let column = offset / nanosecondsPerColumn
        count = max(count, column + 1)
        return column
    }

    private mutating func halve() {
        func halve<Value>(_ values: inout [Value], empty: Value, _ merge: (Value, Value) -> Value) {
            for index in 0..<(Self.capacity / 2) { values[index] = merge(values[2 * index], values[2 * index + 1]) }
            for index in (Self.capacity / 2)..<Self.capacity { values[index] = empty }
        }
        for gauge in extents.indices {
            halve(&extents[gauge], empty: .empty) { first, second in
                var both = first
                both.include(second)
                return both
            }
        }
        for amount in sums.indices { halve(&sums[amount], empty: 0) { $0.addingSaturating($1) } }
        halve(&levels, empty: .normal) { max($0, $1) }
        halve(&breaks, empty: false) { $0 || $1 }
        nanosecondsPerColumn = nanosecondsPerColumn.multipliedSaturating(by: 2)
        count = (count + 1) / 2
    }

    // MARK: - Looking

    func extent(_ gauge: Gauge, _ column: Int) -> Extent { extents[gauge.rawValue][column] }
    func sum(_ amount: Amount, _ column: Int) -> Int { sums[amount.rawValue][column] }
    func level(_ column: Int) -> PressureLevel { levels[column] }
    func isBroken(_ column: Int) -> Bool { breaks[column] }

    /// Over all of it.
    func extent(_ gauge: Gauge) -> Extent {
        extents[gauge.rawValue].reduce(into: .empty) { $0.include($1) }
    }

    func sum(_ amount: Amount) -> Int { sums[amount.rawValue].reduce(0) { $0.addingSaturating($1) } }

    func has(_ gauge: Gauge) -> Bool { !extent(gauge).isEmpty }

    /// Where a column's middle is, from 0 at the start to 1 at the end.
    func place(ofColumn column: Int) -> Double {
        place(nanoseconds: (Double(column) + 0.5) * Double(nanosecondsPerColumn))
    }

    /// Where a column begins; that of ``count`` is the end.
    func edge(ofColumn column: Int) -> Double {
        place(nanoseconds: Double(column) * Double(nanosecondsPerColumn))
    }

    func place(nanoseconds: Double) -> Double { min(1, nanoseconds / Double(max(1, length))) }
}

extension Int {
    fileprivate func multipliedSaturating(by other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
