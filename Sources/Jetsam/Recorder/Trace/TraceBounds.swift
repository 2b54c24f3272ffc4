package import MemoryPressure

/// Whether a record says what can be: nothing has a pebibyte, and nothing is decided on numbers whose sums overflow.
///
/// A trace may come from anywhere; what a manager writes is always within these.
extension TraceEvent {
    /// - Throws: ``TraceError`` that names the field.
    package func checkBounds(at instant: MonotonicInstant) throws(TraceError) {
        guard (0...Int64.max / 2).contains(instant.nanoseconds) else {
            throw TraceError(line: 0, message: "\"t\" must be in 0…\(Int64.max / 2) nanoseconds")
        }
        var check = BoundsCheck()
        switch self {
        case .reading(var record): record.visit(&check)
        case .notice(var record): record.visit(&check)
        case .demand(var record): record.visit(&check)
        case .regrowth(var record): record.visit(&check)
        case .run(var record): record.visit(&check)
        case .client(var record): record.visit(&check)
        case .turn(var record): record.visit(&check)
        case .answer(var record): record.visit(&check)
        case .trimmed(var record): record.visit(&check)
        case .segments(var record): record.visit(&check)
        case .hurry(var record): record.visit(&check)
        case .step(var record): record.visit(&check)
        case .trace, .level, .ladder, .look, .cache, .counts, .process, .scene, .snapshot, .lost, .model: break
        }
        if let name = check.wrong {
            throw TraceError(line: 0, message: "\"\(name)\" is beyond what can be: \(BoundsCheck.most) at most")
        }
    }
}

private struct BoundsCheck: FieldVisitor {
    /// A pebibyte, or thirteen days in nanoseconds.
    static let most = 1 << 50
    private(set) var wrong: StaticString?

    @inline(__always)
    private mutating func check(_ name: StaticString, _ value: Int) {
        guard value.magnitude > Self.most.magnitude else { return }
        // Instants are compared and never added up.
        if name.description == "trimsFrom" || name.description == "until" { return }
        wrong = name
    }

    mutating func integer(_ name: StaticString, _ value: inout Int) { check(name, value) }
    mutating func optional(_ name: StaticString, _ value: inout Int?) { if let value { check(name, value) } }
    mutating func flag(_ name: StaticString, _ value: inout Bool) {}

    mutating func real(_ name: StaticString, _ value: inout Double?) {
        if let value, !(0...Double(Self.most)).contains(value) { wrong = name }
    }

    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word) {}
    mutating func text(_ name: StaticString, _ value: inout String) {}
}
