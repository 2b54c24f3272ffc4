internal import _StressPatterns

extension LimitedGroup {
    /// Bytes charged to the group now, page cache included.
    var usageBytes: Int? {
        number(in: version == .v2 ? "memory.current" : "memory.usage_in_bytes")
    }

    /// The hard limit as it is now.
    var limitBytes: Int? {
        number(in: version == .v2 ? "memory.max" : "memory.limit_in_bytes")
    }

    /// The most bytes that were ever charged; nil on version 2 before Linux 5.19, where `usageBytes` has to be watched.
    var peakBytes: Int? {
        number(in: version == .v2 ? "memory.peak" : "memory.max_usage_in_bytes")
    }

    /// How many processes of the group the OOM killer has ended.
    var oomKills: Int? {
        let text = try? System.text(of: path + (version == .v2 ? "/memory.events" : "/memory.oom_control"))
        return text.flatMap { Self.value(of: "oom_kill", in: $0) }
    }

    /// Microseconds in which some task of the group waited for memory; nil where it has no `memory.pressure`.
    var stallMicroseconds: Int? {
        guard let pressureDirectory, let text = try? System.text(of: pressureDirectory + "/memory.pressure") else {
            return nil
        }
        let total = text.split(separator: "\n").first { $0.hasPrefix("some ") }?.split(separator: "=").last
        return total.flatMap { Int($0) }
    }

    /// The number after `key` in a file of lines `key number`.
    static func value(of key: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count == 2, fields[0] == key { return Int(fields[1]) }
        }
        return nil
    }

    private func number(in file: String) -> Int? {
        guard let text = try? System.text(of: path + "/" + file) else { return nil }
        return Int(text.prefix { $0.isNumber })
    }
}
