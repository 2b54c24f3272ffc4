internal import MemoryPressure

/// One thing that happened, as the flight recorder and a trace keep it.
///
/// Its fields are listed once, in ``visit(_:)``: what writes and reads the bytes of the flight recorder and the lines of a trace
/// walks that list. A record's default values are what is meant where a line leaves a field out.
package protocol Record: Equatable, Sendable {
    static var kind: TraceKind { get }
    init()
    /// Shows every field to `visitor`, in their documented order.
    mutating func visit(_ visitor: inout some FieldVisitor)
}

/// The kind of a record. The numbers are part of the flight recorder's format, the names part of the trace's; numbers below 16
/// are the flight recorder's own.
package enum TraceKind: UInt16, CaseIterable, Sendable {
    // What goes into the decision, and what comes out of it.
    case reading = 16
    case notice = 17
    case level = 18
    case demand = 19
    case regrowth = 20
    case ladder = 21
    case look = 22

    // One step while it is carried out.
    case run = 32
    case client = 33
    case turn = 34
    case answer = 35
    case trimmed = 36
    case segments = 37
    case hurry = 38
    case step = 39

    // What else is known of the process.
    case cache = 48
    case counts = 49
    case process = 50
    case scene = 51
    case snapshot = 52

    // The trace's own.
    case trace = 64
    case lost = 65
    case model = 66

    /// The name in a trace, in the field `k`.
    package var name: StaticString {
        switch self {
        case .reading: "reading"
        case .notice: "notice"
        case .level: "level"
        case .demand: "demand"
        case .regrowth: "regrowth"
        case .ladder: "ladder"
        case .look: "look"
        case .run: "run"
        case .client: "client"
        case .turn: "turn"
        case .answer: "answer"
        case .trimmed: "trimmed"
        case .segments: "segments"
        case .hurry: "hurry"
        case .step: "step"
        case .cache: "cache"
        case .counts: "counts"
        case .process: "process"
        case .scene: "scene"
        case .snapshot: "snapshot"
        case .trace: "trace"
        case .lost: "lost"
        case .model: "model"
        }
    }
}

/// Walks the fields of a record, to write them or to fill them in.
package protocol FieldVisitor {
    mutating func integer(_ name: StaticString, _ value: inout Int)
    mutating func optional(_ name: StaticString, _ value: inout Int?)
    mutating func flag(_ name: StaticString, _ value: inout Bool)
    /// A number of the finite ones.
    mutating func real(_ name: StaticString, _ value: inout Double?)
    mutating func word<Word: RecordWord>(_ name: StaticString, _ value: inout Word)
    /// A text that a bounded line can bear; longer ones are cut.
    mutating func text(_ name: StaticString, _ value: inout String)
    /// A size that was added to the end of a record later; see ``laterSize(_:_:)``.
    mutating func addedSize(_ name: StaticString, _ value: inout Int)
    /// A number that earlier versions of a trace have and this one does not: it is read over, and never written.
    mutating func retired(_ name: StaticString)
    /// The next field was called so in earlier versions of a trace.
    mutating func formerly(_ name: StaticString)
}

extension FieldVisitor {
    package mutating func addedSize(_ name: StaticString, _ value: inout Int) { integer(name, &value) }
    package mutating func retired(_ name: StaticString) {}
    package mutating func formerly(_ name: StaticString) {}

    /// A size of at most a pebibyte that stands last in a record, and that records of earlier versions do not have: there it is 0.
    mutating func laterSize(_ name: StaticString, _ value: inout Int) {
        value = min(max(0, value), RecordBytes.mostSize)
        addedSize(name, &value)
        value = min(max(0, value), RecordBytes.mostSize)
    }

    /// A text of which a record has more than one: it is cut sooner, so that all of them fit a slot.
    mutating func shortText(_ name: StaticString, _ value: inout String) {
        value = value.cut(toBytes: RecordBytes.longestShortText)
        text(name, &value)
        value = value.cut(toBytes: RecordBytes.longestShortText)
    }

    package mutating func number(_ name: StaticString, _ value: inout UInt64) {
        var bits = Int(clamping: value)
        integer(name, &bits)
        value = UInt64(max(0, bits))
    }

    mutating func counter(_ name: StaticString, _ value: inout UInt64?) {
        var bits = value.map { Int(clamping: $0) }
        optional(name, &bits)
        value = bits.map { UInt64(max(0, $0)) }
    }

    /// In nanoseconds.
    package mutating func duration(_ name: StaticString, _ value: inout Duration) {
        var nanoseconds = Int(value.nanoseconds)
        integer(name, &nanoseconds)
        value = .nanoseconds(Int64(nanoseconds))
    }

    /// In nanoseconds.
    package mutating func duration(_ name: StaticString, _ value: inout Duration?) {
        var nanoseconds = value.map { Int($0.nanoseconds) }
        optional(name, &nanoseconds)
        value = nanoseconds.map { .nanoseconds(Int64($0)) }
    }

    /// In nanoseconds of the monotonic clock.
    package mutating func instant(_ name: StaticString, _ value: inout MonotonicInstant) {
        var nanoseconds = Int(value.nanoseconds)
        integer(name, &nanoseconds)
        value = MonotonicInstant(nanoseconds: Int64(nanoseconds))
    }

    package mutating func instant(_ name: StaticString, _ value: inout MonotonicInstant?) {
        var nanoseconds = value.map { Int($0.nanoseconds) }
        optional(name, &nanoseconds)
        value = nanoseconds.map { MonotonicInstant(nanoseconds: Int64($0)) }
    }
}

/// A value of a closed set: a number in the flight recorder, a word in a trace.
package protocol RecordWord: Equatable, Sendable {
    static var words: [String] { get }
    /// Words of earlier versions of a trace, with the indices of those that they are now.
    static var formerWords: [String: Int] { get }
    /// The index of its word.
    var code: Int { get }
    init?(code: Int)
}

extension RecordWord {
    package static var formerWords: [String: Int] { [:] }
}
