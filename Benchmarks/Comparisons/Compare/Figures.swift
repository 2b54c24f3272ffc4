/// A figure that a program printed: `CASE WHO VALUE UNIT`.
struct Row: Encodable, Equatable, Sendable {
    enum CodingKeys: String, CodingKey {
        case name = "case"
        case who, value, unit
    }

    var name: String
    var who: String
    var value: Double
    var unit: String

    init(name: String, who: String, value: Double, unit: String) {
        self.name = name
        self.who = who
        self.value = value
        self.unit = unit
    }

    /// Returns nil where the line is no figure.
    init?(line: some StringProtocol) {
        let fields = line.split(separator: " ")
        guard fields.count == 4, let value = Double(fields[2]) else { return nil }
        self.init(name: String(fields[0]), who: String(fields[1]), value: value, unit: String(fields[3]))
    }
}

/// A figure that a bound needs and that was not measured.
struct MissingFigure: Error, Equatable, CustomStringConvertible {
    let description: String
}

/// All that was measured, round by round.
struct Figures: Sendable {
    /// A case, as one of the ways has it.
    struct Key: Hashable, Sendable {
        let name: String
        let who: String
    }

    private(set) var order: [Key] = []
    private var values: [Key: [Double]] = [:]
    private var units: [Key: String] = [:]

    mutating func add(_ row: Row) {
        let key = Key(name: row.name, who: row.who)
        if values[key] == nil { order.append(key) }
        values[key, default: []].append(row.value)
        units[key] = row.unit
    }

    /// The medians of all, in the order in which they were first measured.
    var rows: [Row] {
        order.map { Row(name: $0.name, who: $0.who, value: Self.median(values[$0]!), unit: units[$0]!) }
    }

    func range(of row: Row) -> ClosedRange<Double> {
        let all = values[Key(name: row.name, who: row.who)]!
        return all.min()!...all.max()!
    }

    func median(_ name: String, _ who: String = "jetsam") throws(MissingFigure) -> Double {
        guard let all = values[Key(name: name, who: who)] else {
            throw MissingFigure(description: "\(name) was not measured for \(who)")
        }
        return Self.median(all)
    }

    /// The median of the rounds' ratios. A machine that changes from one round to the next changes that less than the ratio of two
    /// medians.
    func share(_ first: Key, of second: Key) throws(MissingFigure) -> Double {
        try ratio(first, to: second, /)
    }

    /// The median over the rounds of what `ratio` makes of the two figures of a round.
    func ratio(_ first: Key, to second: Key, _ ratio: (Double, Double) -> Double) throws(MissingFigure) -> Double {
        guard let firsts = values[first], let seconds = values[second], firsts.count == seconds.count else {
            throw MissingFigure(description: "\(first.name) and \(second.name) were not measured in turn")
        }
        return Self.median(zip(firsts, seconds).map(ratio))
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = (sorted.count - 1) / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle] + sorted[middle + 1]) / 2 : sorted[middle]
    }
}
