internal import Jetsam

/// The one rule that is off unless it is given what has no default: its budget.
extension Setting {
    static let footprintBudget = Setting(
        key: "footprint.budgetBytes",
        allowed: "a number of bytes such as 67108864, 512MiB or 1.5GiB, more than 0, or null", isList: false,
        isBool: false, isOptional: true,
        assign: { written, settings in
            switch written {
            case .nothing: settings.manager.footprint = nil
            case .list: return false
            case .text(let text):
                guard let bytes = ConfigurationText.bytes(text) else { return false }
                settings.footprint.budgetBytes = bytes
            }
            return true
        },
        current: { settings in
            settings.manager.footprint.map { .text(ConfigurationText.text(bytes: $0.budgetBytes)) } ?? .nothing
        })

    static func footprint(_ name: String, _ field: Field<Int>, _ range: ClosedRange<Int>) -> Setting {
        let plain = Setting.integer("footprint.\(name)", field, range)
        return Setting(
            key: plain.key, allowed: plain.allowed, isList: false, isBool: false, isOptional: false,
            assign: plain.assign,
            current: { $0.manager.footprint == nil ? .nothing : plain.current($0) })
    }
}
