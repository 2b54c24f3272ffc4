/// A setting of a manager: its name, where its value is, and what it may be.
///
/// Each is described once, beside its property. From that follow its check, how a change of it is told, the header of a trace, and
/// all that the product `JetsamConfiguration` reads and writes.
package struct ManagerSetting: Sendable {
    package typealias Path<Value> = any WritableKeyPath<ManagerConfiguration, Value> & Sendable

    /// Its written form, its place, and its bounds.
    package enum Kind: Sendable {
        case integer(Path<Int>, ClosedRange<Int>)
        /// Bytes, or bytes a second.
        case bytes(Path<Int>, ClosedRange<Int>)
        /// Bytes that only other settings bound, and how they do, in words.
        case boundedBytes(Path<Int>, String)
        /// A time of at most an hour.
        case duration(Path<Duration>, from: Duration)
        case optionalDuration(Path<Duration?>, from: Duration)
        case flag(Path<Bool>)
        case word(Word)
        /// An absolute path.
        case path(Path<String?>)
        case texts(Path<[String]>)
        /// The budget of the footprint rule, which there is only with a budget.
        case budget
    }

    /// A value of a few that have names.
    package struct Word: Sendable {
        // A pointer to code comes first: `Kind` keeps its case in unused bits of the first pointer, and a leak checker overlooks what only that
        // pointer leads to.
        package let get: @Sendable (ManagerConfiguration) -> String
        package let all: [String]
        /// False where it is none of them.
        package let set: @Sendable (inout ManagerConfiguration, String) -> Bool
    }

    /// The property's path, such as `headroom.warningPercent`.
    package let field: StaticString
    package let kind: Kind
    /// The name that it had in earlier versions; nil where it had none.
    package private(set) var formerField: StaticString?
    /// Indicates whether a decision depends on it: then a trace has it.
    package private(set) var decides = true
    /// Indicates whether it is used once, when a manager is made: files and sockets, and deadlines that are running.
    package fileprivate(set) var isFixed = false
    /// Indicates whether it means something only beside the footprint rule's budget.
    package private(set) var needsBudget = false

    package var name: String { field.description }

    private init(_ field: StaticString, _ kind: Kind) {
        self.field = field
        self.kind = kind
    }

    /// Returns whether the part that it belongs to is there.
    package func isPresent(in configuration: ManagerConfiguration) -> Bool {
        !needsBudget || configuration.footprint != nil
    }
}

extension ManagerSetting {
    static func integer(_ name: StaticString, _ path: Path<Int>, _ range: ClosedRange<Int>) -> Self {
        Self(name, .integer(path, range))
    }

    static func bytes(_ name: StaticString, _ path: Path<Int>, _ range: ClosedRange<Int>) -> Self {
        Self(name, .bytes(path, range))
    }

    static func bytes(_ name: StaticString, _ path: Path<Int>, from least: Int) -> Self {
        Self(name, .bytes(path, least ... .max))
    }

    /// - Parameter bound: In words.
    static func bytes(_ name: StaticString, _ path: Path<Int>, _ bound: String) -> Self {
        Self(name, .boundedBytes(path, bound))
    }

    static func duration(_ name: StaticString, _ path: Path<Duration>, from least: Duration) -> Self {
        Self(name, .duration(path, from: least))
    }

    static func duration(_ name: StaticString, _ path: Path<Duration?>, from least: Duration) -> Self {
        Self(name, .optionalDuration(path, from: least))
    }

    static func flag(_ name: StaticString, _ path: Path<Bool>) -> Self { Self(name, .flag(path)) }

    static func path(_ name: StaticString, _ path: Path<String?>) -> Self { Self(name, .path(path)) }

    static func texts(_ name: StaticString, _ path: Path<[String]>) -> Self { Self(name, .texts(path)) }

    static func budget(_ name: StaticString) -> Self { Self(name, .budget) }

    static func word<Value: RawRepresentable & SendableMetatype>(
        _ name: StaticString, _ path: Path<Value>, of all: [Value]
    ) -> Self where Value.RawValue == String {
        let word = Word(
            get: { $0[keyPath: path].rawValue }, all: all.map(\.rawValue),
            set: { configuration, text in
                guard let value = Value(rawValue: text) else { return false }
                configuration[keyPath: path] = value
                return true
            })
        return Self(name, .word(word))
    }

    /// The same, called so in earlier versions.
    func formerly(_ name: StaticString) -> Self { with { $0.formerField = name } }

    /// The same, on which no decision depends.
    var decidingNothing: Self { with { $0.decides = false } }

    /// The same, which means something only beside the footprint rule's budget.
    var besideBudget: Self { with { $0.needsBudget = true } }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var setting = self
        change(&setting)
        return setting
    }
}

extension ManagerSetting {
    /// Every setting, in the order of the properties. Tests hold the list against ``ManagerConfiguration``.
    package static let all: [ManagerSetting] = {
        let settings = ManagerConfiguration.partTypes.flatMap { part in
            part.settings.map { setting in setting.with { $0.isFixed = part.isFixed } }
        }
        return settings + [.flag("isDryRun", \.isDryRun)]
    }()

    /// Returns the name of what differs between two configurations; nil where nothing does. Where only one of them has a budget, that
    /// alone is the difference.
    func difference(_ old: ManagerConfiguration, _ new: ManagerConfiguration) -> String? {
        func differs<Value: Equatable>(_ path: Path<Value>) -> Bool { old[keyPath: path] != new[keyPath: path] }
        guard isPresent(in: old), isPresent(in: new) else { return nil }
        let isOther =
            switch kind {
            case .integer(let path, _), .bytes(let path, _), .boundedBytes(let path, _): differs(path)
            case .duration(let path, _): differs(path)
            case .optionalDuration(let path, _): differs(path)
            case .flag(let path): differs(path)
            case .word(let word): word.get(old) != word.get(new)
            case .path(let path): differs(path)
            case .texts(let path): differs(path)
            case .budget: old.footprint?.budgetBytes != new.footprint?.budgetBytes
            }
        guard isOther else { return nil }
        if case .budget = kind, (old.footprint == nil) != (new.footprint == nil) { return "footprint" }
        return name
    }

    /// Checks the value by itself.
    func check(_ configuration: ManagerConfiguration, _ findings: inout ConfigurationFindings) {
        switch kind {
        case .integer(let path, let range): findings.range(name, configuration[keyPath: path], range)
        case .bytes(let path, let range): findings.bytes(name, configuration[keyPath: path], range)
        case .duration(let path, let least): findings.time(name, configuration[keyPath: path], least)
        case .optionalDuration(let path, let least):
            if let value = configuration[keyPath: path] { findings.time(name, value, least) }
        case .path(let path):
            if let value = configuration[keyPath: path] { findings.path(name, value) }
        case .budget:
            if let bytes = configuration.footprint?.budgetBytes {
                findings.require(name, bytes, bytes > 0, "more than 0")
            }
        case .boundedBytes, .flag, .word, .texts: break
        }
    }
}

/// A part of the configuration: its settings, and what they must not contradict.
protocol ConfigurationPart: Sendable, Equatable {
    /// Its settings, in the order of its properties.
    static var settings: [ManagerSetting] { get }
    /// Indicates whether all of it is used once, when a manager is made.
    static var isFixed: Bool { get }
    /// Checks the values against each other. Each has been checked by itself.
    func checkOrder(_ findings: inout ConfigurationFindings)
}

extension ConfigurationPart {
    static var isFixed: Bool { false }
    func checkOrder(_ findings: inout ConfigurationFindings) {}
}
