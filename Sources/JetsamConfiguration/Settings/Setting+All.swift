internal import Jetsam

extension Setting {
    /// Every setting: those of a manager in the order of their types, then those of background tasks.
    public static let all: [Setting] = ManagerSetting.all.map { Setting($0) } + backgroundTasks

    private static let backgroundTasks: [Setting] = [
        .duration("backgroundTasks.lead", Field(\.backgroundTasks.lead), from: .zero, to: "1m"),
        .duration("backgroundTasks.grace", Field(\.backgroundTasks.grace), from: .zero),
        .bool("backgroundTasks.overdueTasksHold", Field(\.backgroundTasks.overdueTasksHold)),
        .duration("backgroundTasks.longHeldAfter", Field(\.backgroundTasks.longHeldAfter), from: .seconds(1)),
    ]

    /// A setting as a manager describes it.
    private init(_ setting: ManagerSetting) {
        let name = setting.name
        switch setting.kind {
        case .integer(let path, let range): self = .integer(name, Field(manager: path), range)
        case .bytes(let path, let range): self = .bytes(name, Field(manager: path), Self.text(range, of: name))
        case .boundedBytes(let path, let bound): self = .bytes(name, Field(manager: path), bound)
        case .duration(let path, let least): self = .duration(name, Field(manager: path), from: least)
        case .optionalDuration(let path, let least): self = .duration(name, Field(manager: path), from: least)
        case .flag(let path): self = .bool(name, Field(manager: path))
        case .word(let word): self = .word(name, word)
        case .path(let path): self = .path(name, Field(manager: path))
        case .texts(let path): self = .list(name, Field(manager: path))
        case .budget: self = .budget(name)
        }
        if setting.needsBudget { current = { [current] in setting.isPresent(in: $0.manager) ? current($0) : .nothing } }
    }

    private static func text(_ range: ClosedRange<Int>, of name: String) -> String {
        let least = ConfigurationText.text(bytes: range.lowerBound)
        if name.hasSuffix("Rate") { return "a second, at least \(least)" }
        return range.upperBound == .max
            ? "at least \(least)" : "from \(least) to \(ConfigurationText.text(bytes: range.upperBound))"
    }
}
