internal import Yams

/// A configuration file as a tree whose nodes know their line and column.
enum SettingsDocument {
    /// The fault that keeps a file from being read at all.
    struct Fault: Error {
        var problem: CheckReport.Problem

        init(_ message: String, line: Int = 0, column: Int = 0) {
            problem = .init(line: line, column: line > 0 ? max(column, 1) : 0, message: message)
        }
    }

    enum Content {
        case scalar(String, isQuoted: Bool)
        case list([Node])
        case map([Pair])
    }

    struct Pair {
        var key: Node
        var value: Node
    }

    struct Node {
        var content: Content
        var line: Int
        var column: Int

        var text: String? {
            guard case .scalar(let text, _) = content else { return nil }
            return text
        }

        var isMap: Bool {
            guard case .map = content else { return false }
            return true
        }

        /// Indicates whether this is a list with anything else than texts in it.
        var isNested: Bool {
            guard case .list(let elements) = content else { return false }
            return elements.contains { $0.text == nil }
        }
    }

    static func isNull(_ text: String) -> Bool { ["", "~", "null", "Null", "NULL"].contains(text) }

    /// Returns whether a scalar ends a line in YAML.
    static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    static func parse(_ bytes: [UInt8]) -> Result<Node, Fault> {
        guard bytes.count <= CheckReport.maximumBytes else {
            return .failure(
                Fault("the file has more than \(CheckReport.maximumBytes) bytes, which is the most that is allowed"))
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .failure(Fault("the file is not text in UTF-8"))
        }
        var scalars = Array(text.unicodeScalars)
        if let fault = FileGuard.fault(in: scalars) { return .failure(fault) }
        var renamed = RenamedKeys()
        while true {
            do {
                let text = String(String.UnicodeScalarView(scalars))
                return .success(try tree(of: text, renamed))
            } catch let fault as Fault {
                return .failure(fault)
            } catch let error as YamlError {
                // The parser goes no further than a key that is there twice. With another name the rest can be looked at, too.
                if case .duplicatedKeysInMapping(_, let context) = error,
                    renamed.rename(at: context.mark, in: &scalars)
                {
                    continue
                }
                return .failure(fault(error))
            } catch {
                return .failure(Fault("the file cannot be read"))
            }
        }
    }

    private static func tree(of text: String, _ renamed: RenamedKeys) throws -> Node {
        // Without rules for tags: every scalar stays the text that it is.
        let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
        guard let root = try parser.singleRoot() else {
            throw Fault("the file is empty; {} says that all settings are at their defaults")
        }
        // It holds the anchors, to which nodes refer weakly.
        return try withExtendedLifetime(parser) { try node(root, renamed) }
    }

    private static func node(_ node: Yams.Node, _ renamed: RenamedKeys) throws(Fault) -> Node {
        let (line, column) = (node.mark?.line ?? 1, node.mark?.column ?? 1)
        guard node.anchor == nil else {
            throw Fault("anchors and aliases are not allowed: write the value out", line: line, column: column)
        }
        switch node {
        case .scalar(let scalar):
            let isQuoted = scalar.style != .plain && scalar.style != .any
            return Node(
                content: .scalar(renamed.original(scalar.string), isQuoted: isQuoted), line: line, column: column)
        case .sequence(let sequence):
            var elements: [Node] = []
            for element in sequence { elements.append(try self.node(element, renamed)) }
            return Node(content: .list(elements), line: line, column: column)
        case .mapping(let mapping):
            var pairs: [Pair] = []
            for (key, value) in mapping {
                pairs.append(Pair(key: try self.node(key, renamed), value: try self.node(value, renamed)))
            }
            return Node(content: .map(pairs), line: line, column: column)
        case .alias:
            throw Fault("anchors and aliases are not allowed: write the value out", line: line, column: column)
        }
    }

    private static func fault(_ error: YamlError) -> Fault {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _):
            Fault("this cannot be read as YAML or JSON: \(problem)", line: mark.line, column: mark.column)
        case .composer(_, let problem, let mark, _):
            Fault("this cannot be read: \(problem)", line: mark.line, column: mark.column)
        case .reader(let problem, _, _, _):
            Fault("the file cannot be read as text: \(problem)")
        case .duplicatedKeysInMapping(let names, let context):
            Fault(
                "set twice: \(names.prefix(8).map(name).joined(separator: ", "))",
                line: context.mark.line, column: context.mark.column)
        default: Fault("the file cannot be read as YAML or JSON")
        }
    }

    /// A key as it is told; maps and lists as keys have no name of their own.
    private static func name(_ key: String) -> String {
        key == "<uncovertable>" ? "a key that is no text" : Setting.Written.shortened(key)
    }
}
