package import MemoryPressure

extension PressureLevel: RecordWord {
    package static let words = ["normal", "warning", "critical"]
    package var code: Int { Int(rawValue) }
    package init?(code: Int) { self.init(rawValue: UInt8(clamping: code)) }
}

extension PressureRule: RecordWord {
    package static let words = all.map { "\($0)" }
    package var code: Int { number }
    package init?(code: Int) {
        guard Self.all.indices.contains(code) else { return nil }
        self = Self.all[code]
    }
}

extension LevelCause: RecordWord {
    private static let sources: [MemorySignalSource] = [
        .pressureTrigger, .pressureTotals, .memoryEvents, .usageThreshold, .usage, .limits, .memoryInfo, .footprint,
        .systemdWatch,
    ]
    package static let words = [
        "sampler", "reclaim", "request", "pressureTrigger", "pressureTotals", "memoryEvents", "usageThreshold", "usage",
        "limits", "memoryInfo", "footprint", "systemdWatch",
    ]

    package var code: Int {
        switch self {
        case .sampler: 0
        case .reclaim: 1
        case .request: 2
        case .event(let source): 3 + (Self.sources.firstIndex(of: source) ?? 0)
        }
    }

    package init?(code: Int) {
        switch code {
        case 0: self = .sampler
        case 1: self = .reclaim
        case 2: self = .request
        case 3..<(3 + Self.sources.count): self = .event(Self.sources[code - 3])
        default: return nil
        }
    }
}

extension LevelReason.Unit: RecordWord {
    package static let words = ["bytes", "milliseconds", "percent", "count", "none"]
    package var code: Int {
        switch self {
        case .bytes: 0
        case .milliseconds: 1
        case .percent: 2
        case .count: 3
        case .none: 4
        }
    }

    package init?(code: Int) {
        switch code {
        case 0: self = .bytes
        case 1: self = .milliseconds
        case 2: self = .percent
        case 3: self = .count
        case 4: self = .none
        default: return nil
        }
    }
}

extension MemoryReading.Depth: RecordWord {
    package static let words = ["cheap", "full"]
    package var code: Int { self == .cheap ? 0 : 1 }
    package init?(code: Int) {
        guard (0...1).contains(code) else { return nil }
        self = code == 0 ? .cheap : .full
    }
}

/// A closed set whose words are listed with it, in the order of its numbers.
package protocol NumberedWord: RecordWord, RawRepresentable where RawValue == UInt8 {}

extension NumberedWord {
    package var code: Int { Int(rawValue) }
    package init?(code: Int) {
        guard let rawValue = UInt8(exactly: code) else { return nil }
        self.init(rawValue: rawValue)
    }
}
