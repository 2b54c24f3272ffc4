import JetsamSystem
import SystemPackage

/// The documentation comments of public properties, which tables of the pages are written from.
enum SourceComments {
    /// The paragraphs and list items, by type and property: `StallRule.warningPercent`.
    static let all = Result {
        var comments: [String: [String]] = [:]
        for module in ["JetsamPolicy", "BackgroundTasks"] {
            let folder = DocumentationPage.root.appending("Sources/\(module)")
            for name in try TemporaryDirectory.names(folder) where !name.hasSuffix(".docc") {
                let files = name.hasSuffix(".swift") ? [name] : try names(folder, name)
                for file in files { comments.merge(try read(folder.appending(file))) { first, _ in first } }
            }
        }
        return comments
    }

    /// The rest of the paragraph or list item that begins with that word and a colon.
    static func entry(_ word: String, of property: String) throws -> String? {
        for text in try all.get()[property] ?? [] {
            for start in ["\(word): ", "- \(word): "] where text.hasPrefix(start) {
                return String(text.dropFirst(start.count))
            }
        }
        return nil
    }

    private static func names(_ folder: FilePath, _ name: String) throws -> [String] {
        try TemporaryDirectory.names(folder.appending(name)).map { "\(name)/\($0)" }
    }

    private static func read(_ file: FilePath) throws -> [String: [String]] {
        var comments: [String: [String]] = [:]
        var type = ""
        var paragraphs: [String] = []
        var isNew = true
        for line in String(decoding: try Syscalls.contents(of: file.string), as: UTF8.self).split(separator: "\n") {
            let text = line.trimmed
            if text.hasPrefix("///") {
                let words = text.dropFirst(3).trimmed
                if words.isEmpty || words.hasPrefix("- ") || isNew { paragraphs.append("") }
                isNew = words.isEmpty
                paragraphs[paragraphs.count - 1] += (paragraphs.last?.isEmpty == false ? " " : "") + words
                continue
            }
            if let name = name(in: text, after: ["struct ", "extension "]) {
                type = String(name.split(separator: ".").last ?? "")
            } else if let name = name(in: text, after: ["public var ", "public static let "]) {
                comments["\(type).\(name)"] = paragraphs
            }
            paragraphs = []
            isNew = true
        }
        return comments
    }

    private static func name(in line: String, after words: [String]) -> Substring? {
        for word in words {
            guard let range = line.firstRange(of: word), line[..<range.lowerBound].allSatisfy({ $0 != "(" }) else {
                continue
            }
            return line[range.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "." }
        }
        return nil
    }
}
