internal import CommandOutput
internal import Jetsam

/// A setting that a decision depends on and that was not the default.
struct SettingDifference: Equatable {
    var name: String
    var value: String
    var standard: String

    static func all(in configuration: ManagerConfiguration) -> [SettingDifference] {
        let standard = values(of: ManagerConfiguration())
        return zip(values(of: configuration), standard).compactMap { own, standard in
            own.text == standard.text
                ? nil : SettingDifference(name: own.name, value: own.text, standard: standard.text)
        }
    }

    /// Each setting's name, in the documented order, and its value as people read it.
    static func values(of configuration: ManagerConfiguration) -> [(name: String, text: String)] {
        var configuration = configuration
        var visitor = Visitor()
        configuration.visitWhatDecides(&visitor)
        return visitor.values
    }

    /// The unit of a whole number, which its name tells.
    enum Unit {
        case bytes, bytesPerSecond, percent, points, number, time

        init(of name: String) {
            if name.hasSuffix("Bytes") {
                self = .bytes
            } else if name.hasSuffix("Rate") {
                self = .bytesPerSecond
            } else if name.hasSuffix("Percent") {
                self = .percent
            } else if name.hasSuffix("Points") {
                self = .points
            } else if name.hasSuffix("Factor") || name.hasSuffix("Batch") {
                self = .number
            } else {
                self = .time
            }
        }

        func text(_ value: Int) -> String {
            switch self {
            case .bytes: FigureText.bytes(value)
            case .bytesPerSecond: "\(FigureText.bytes(value)) a second"
            case .percent: "\(value) %"
            case .points: value.counted("point", "points")
            case .number: "\(value)"
            case .time: Duration.nanoseconds(Int64(value)).shortText
            }
        }
    }

    private struct Visitor: FieldVisitor {
        var values: [(name: String, text: String)] = []

        mutating func integer(_ name: StaticString, _ value: inout Int) {
            append(name, Unit(of: name.description).text(value))
        }

        mutating func optional(_ name: StaticString, _ value: inout Int?) {
            append(name, value.map { Unit(of: name.description).text($0) } ?? "none")
        }

        mutating func flag(_ name: StaticString, _ value: inout Bool) { append(name, value ? "yes" : "no") }
        mutating func real(_ name: StaticString, _ value: inout Double?) {
            append(name, value.map { "\($0)" } ?? "none")
        }
        mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {
            append(name, Word.words[value.code])
        }
        mutating func text(_ name: StaticString, _ value: inout String) { append(name, value) }

        private mutating func append(_ name: StaticString, _ text: String) {
            values.append((name.description, text))
        }
    }
}
