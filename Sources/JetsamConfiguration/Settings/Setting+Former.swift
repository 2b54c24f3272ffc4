internal import Jetsam

extension Setting {
    /// Settings that there are no more, and what to write instead. A file that has one can be used; its value counts for nothing.
    static let vanished: [String: String] = [
        "timeToLimit.critical":
            "critical follows from the measured lead time; leadTime.safetyPercent and leadTime.minimum make it earlier",
        "timeToLimit.criticalExit":
            "critical ends when headroom would do for twice the lead time; see leadTime.safetyPercent",
        "reclaim.warningSharePercent":
            "a step asks for what is missing; reclaim.sharePercent is for rules that name no bytes",
    ]

    /// Returns the warning about a setting that no longer exists; nil where `key` is none of those.
    static func warning(of key: String) -> String? {
        if let name = renamed[key] { return "\(key) is called \(name) now; the old name will go" }
        return vanished[key].map { "\(key) is no setting any more and is ignored: \($0)" }
    }
}

extension Setting {
    /// Settings that have another name now: the old name, and the new one. A file that has the old one can be used.
    static let renamed = Dictionary(
        uniqueKeysWithValues: ManagerSetting.all.compactMap { setting in
            setting.formerField.map { ($0.description, setting.name) }
        })

    /// The setting's former names.
    var formerKeys: [String] { Self.renamed.filter { $0.value == key }.keys.sorted() }
}
