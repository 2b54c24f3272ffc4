internal import Jetsam
internal import MemoryPressure

/// Whether a record says what can be: nothing has a pebibyte, and nothing is decided on numbers whose sums overflow.
///
/// A trace may come from anywhere; what a manager writes is always within these.
enum TraceBounds {
    /// - Throws: ``TraceError`` that names the field.
    static func check(_ instant: MonotonicInstant) throws(TraceError) {
        guard (0...Int64.max / 2).contains(instant.nanoseconds) else {
            throw TraceError(line: 0, message: "\"t\" must be in 0…\(Int64.max / 2) nanoseconds")
        }
    }

    /// - Throws: ``TraceError`` that names the field.
    static func check(_ record: inout some Record) throws(TraceError) {
        var check = BoundsCheck()
        record.visit(&check)
        if let name = check.wrong {
            throw TraceError(line: 0, message: "\"\(name)\" is beyond what can be: \(BoundsCheck.most) at most")
        }
    }

    /// - Throws: ``TraceError`` that names the field.
    static func check(_ event: TraceEvent) throws(TraceError) {
        switch event {
        case .reading(var record): try check(&record)
        case .notice(var record): try check(&record)
        case .demand(var record): try check(&record)
        case .regrowth(var record): try check(&record)
        case .run(var record): try check(&record)
        case .client(var record): try check(&record)
        case .turn(var record): try check(&record)
        case .answer(var record): try check(&record)
        case .trimmed(var record): try check(&record)
        case .segments(var record): try check(&record)
        case .hurry(var record): try check(&record)
        case .step(var record): try check(&record)
        case .trace, .level, .ladder, .look, .cache, .counts, .process, .scene, .snapshot, .lost, .model: break
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
