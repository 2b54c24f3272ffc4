internal import MemoryPressure

/// A request to a process by its control socket: one line of ASCII words with a blank between them.
package enum ControlRequest: Sendable, Equatable, CustomStringConvertible {
    /// Asks for the manager's status: `status`.
    case status
    /// Hold a level, or end that: `simulate LEVEL [SECONDS]`; nil holds it until the next request.
    case simulate(PressureLevel, for: Duration?)
    /// Ask the caches for bytes: `release BYTES` or `release all`, which is nil.
    case release(bytes: Int?)
    /// Make room for a hard limit that is about to be set, and hold caches for a time: `release to BYTES [SECONDS]`; or hold them no longer:
    /// `release to none`, which is nil.
    case prepare(limitBytes: Int?, holding: Duration)
    /// Decide and do nothing, or act again: `dry-run on` or `dry-run off`.
    case dryRun(Bool)
    /// Notify held background tasks that they expire: `expire all`, or `expire named NAME`. What is not printable ASCII in a name, and a
    /// blank or a `%`, stands there as `%` and the two hexadecimal digits of each byte. Nil is for all.
    case expire(named: String?)

    /// The longest request in bytes, its line end included.
    package static let maximumBytes = 4096
    /// The longest that a level, or caches, are held when a time is given: a day.
    package static let longestHold = Duration.seconds(86_400)
    /// The time for which caches are held where none is given.
    package static let usualHold = Duration.seconds(60)

    /// Reads a line. It reads each byte once, whatever the bytes are.
    ///
    /// - Parameter line: Without the line end; a carriage return in the last place is passed over.
    /// - Throws: ``ControlRefusal/badRequest(_:)``, which never repeats more than a few characters of the line.
    package init(_ line: [UInt8]) throws(ControlRefusal) {
        guard line.count < Self.maximumBytes else { throw .tooLong }
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
        guard line.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw .badRequest("a request is one line of printable ASCII characters")
        }
        let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        switch (words.first, words.count) {
        case ("status", 1): self = .status
        case ("simulate", 2): self = .simulate(try Self.level(words[1]), for: nil)
        case ("simulate", 3): self = .simulate(try Self.level(words[1]), for: try Self.seconds(words[2]))
        case ("release", 2): self = .release(bytes: words[1] == "all" ? nil : try Self.bytes(words[1]))
        case ("release", 3) where words[1] == "to":
            self = .prepare(limitBytes: words[2] == "none" ? nil : try Self.bytes(words[2]), holding: Self.usualHold)
        case ("release", 4) where words[1] == "to":
            self = .prepare(limitBytes: try Self.bytes(words[2]), holding: try Self.seconds(words[3]))
        case ("dry-run", 2) where words[1] == "on" || words[1] == "off": self = .dryRun(words[1] == "on")
        case ("expire", 2) where words[1] == "all": self = .expire(named: nil)
        case ("expire", 3) where words[1] == "named": self = .expire(named: try Self.name(words[2]))
        default:
            throw .badRequest(
                "known are: status, simulate LEVEL [SECONDS], release BYTES|all|to none|to BYTES [SECONDS], dry-run on|off, "
                    + "expire all|named NAME")
        }
    }

    private static func level(_ word: String) throws(ControlRefusal) -> PressureLevel {
        guard let level = PressureLevel.allCases.first(where: { $0.description == word }) else {
            throw .badRequest("a level is normal, warning or critical, not '\(word.prefix(20))'")
        }
        return level
    }

    /// Seconds with up to three decimals.
    private static func seconds(_ word: String) throws(ControlRefusal) -> Duration {
        let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy(\.isNumber) }
        let decimals = parts.count > 1 ? parts[1] : "0"
        guard isNumber, decimals.count <= 3, let whole = Int(parts[0]), let fraction = Int(decimals) else {
            throw .badRequest("seconds are a number such as 10 or 0.5, not '\(word.prefix(20))'")
        }
        let scale = [1, 100, 10, 1][decimals.count]
        let time = Duration.milliseconds(whole * 1000 + fraction * scale)
        guard time > .zero, time <= longestHold else {
            throw .badRequest("a time is more than 0 and at most 86400 seconds, not '\(word.prefix(20))'")
        }
        return time
    }

    private static func bytes(_ word: String) throws(ControlRefusal) -> Int {
        // Int takes a sign, which no number of bytes has.
        guard word.allSatisfy(\.isNumber), let bytes = Int(word), bytes > 0 else {
            throw .badRequest("bytes are a whole number above 0, or 'all', not '\(word.prefix(20))'")
        }
        return bytes
    }

    private static func name(_ word: String) throws(ControlRefusal) -> String {
        guard let name = PercentText.decoded(word) else {
            throw .badRequest("a name is UTF-8, with % before two hexadecimal digits, not '\(word.prefix(20))'")
        }
        return name
    }

    /// The line, without its end.
    package var description: String {
        switch self {
        case .status: return "status"
        case .simulate(let level, nil): return "simulate \(level)"
        case .simulate(let level, let time?): return "simulate \(level) \(Self.text(time))"
        case .release(nil): return "release all"
        case .release(let bytes?): return "release \(bytes)"
        case .prepare(nil, _): return "release to none"
        case .prepare(let bytes?, let time): return "release to \(bytes) \(Self.text(time))"
        case .expire(nil): return "expire all"
        case .expire(let name?): return "expire named \(PercentText.encoded(name))"
        case .dryRun(let isOn): return "dry-run \(isOn ? "on" : "off")"
        }
    }

    private static func text(_ time: Duration) -> String {
        let milliseconds = time.nanoseconds / 1_000_000
        return "\(milliseconds / 1000).\((milliseconds % 1000).padded(to: 3))"
    }
}
