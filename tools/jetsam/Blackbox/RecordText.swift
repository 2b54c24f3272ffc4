internal import Jetsam
internal import MemoryPressure

/// What a record says, in words; nil where it is of a kind that is not known here, or not whole.
enum RecordText {
    static func of(_ record: RecordingContents.Record) -> String? {
        switch record.kind {
        case .note: return visible(String(decoding: record.payload, as: UTF8.self))
        case .end: return record.payload.first.flatMap { RunState(rawValue: UInt32($0)) }.map { "\($0)" }
        default: break
        }
        guard let kind = TraceKind(rawValue: record.kind.rawValue),
            let event = TraceEvent(kind: kind, bytes: record.payload)
        else { return nil }
        if case .reading(let reading) = event { return text(reading) }
        var writer = TraceLineWriter()
        event.write(to: &writer, at: record.instant)
        return visible(fields(of: writer.collectBytes()).dropFirst(2).map { "\($0) \($1)" }.joined(separator: ", "))
    }

    private static func text(_ record: ReadingRecord) -> String {
        let reading = record.reading
        let headroom = "headroom \(ByteCount(reading.headroomBytes)) of \(ByteCount(reading.limitBytes))"
        var text = "\(headroom), usage \(ByteCount(reading.usageBytes)), footprint \(ByteCount(reading.footprintBytes))"
        if record.reportedBytes > 0 { text += ", caches \(ByteCount(record.reportedBytes))" }
        return text
    }

    /// The fields of a trace's line, which is an object of plain values.
    private static func fields(of line: [UInt8]) -> [(String, String)] {
        var fields: [(String, String)] = []
        var words: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        func end() {
            guard words.count == 2 else { return }
            fields.append((String(decoding: words[0], as: UTF8.self), String(decoding: words[1], as: UTF8.self)))
        }
        for byte in line {
            switch byte {
            case _ where isEscaped:
                words[words.count - 1].append(byte)
                isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case _ where isQuoted: words[words.count - 1].append(byte)
            case UInt8(ascii: ":"): words.append([])
            case UInt8(ascii: ","), UInt8(ascii: "}"):
                end()
                words = [[]]
            case UInt8(ascii: "{"), 0x0A: break
            default: words[words.count - 1].append(byte)
            }
        }
        return fields
    }

    /// What a terminal would take for a command is shown as a dot: a file can hold anything.
    static func visible(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
                    return isControl || scalar.properties.generalCategory == .format ? "." : scalar
                }))
    }
}
