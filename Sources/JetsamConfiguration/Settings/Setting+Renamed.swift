extension Setting {
    /// Settings that have another name now: the old name, and the new one. A file that has the old one can be used.
    static let renamed: [String: String] = [
        "ladder.expiresAssertions": "ladder.expiresBackgroundTasks",
        "ladder.assertionBatch": "ladder.backgroundTaskBatch",
    ]

    /// The setting's former names.
    var formerKeys: [String] { Self.renamed.filter { $0.value == key }.keys.sorted() }
}
