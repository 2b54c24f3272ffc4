/// Refuses what a parser would take long or much memory for, before it is given to one.
///
/// YAML can nest deeply in few bytes, which takes stack, and can refer to itself, so that a kilobyte stands for gigabytes. No
/// configuration needs either. It errs on the side of refusing: it counts what may be such a thing, without parsing.
enum FileGuard {
    static let deepest = 64
    /// Of `[` and `{` in YAML that is not JSON: each may nest once more.
    static let mostBrackets = 256
    static let deepestIndentation = 64
    static let mostDashesInALine = 16
    /// The most marks that may be aliases: so many cannot stand for more than a few hundred times as much as is there.
    static let mostAliases = 16

    static func fault(in text: [Unicode.Scalar]) -> SettingsDocument.Fault? {
        if let depth = depthOfJSON(text) {
            return depth > deepest ? SettingsDocument.Fault("the file nests deeper than \(deepest) levels") : nil
        }
        var scan = Scan()
        for scalar in text {
            scan.consume(scalar)
            if let fault = scan.fault { return SettingsDocument.Fault(fault, line: scan.line) }
        }
        return nil
    }

    /// Returns the depth to which JSON nests; nil where this is not JSON, in which a quote always begins or ends a text.
    private static func depthOfJSON(_ text: [Unicode.Scalar]) -> Int? {
        var (depth, deepest) = (0, 0)
        var (isQuoted, isEscaped) = (false, false)
        /// The last scalar outside of texts that was no blank.
        var last: Unicode.Scalar = "["
        for scalar in text {
            if isQuoted {
                if isEscaped {
                    isEscaped = false
                } else if scalar == "\\" {
                    isEscaped = true
                } else if scalar == "\"" {
                    (isQuoted, last) = (false, "\"")
                }
                continue
            }
            switch scalar {
            case " ", "\t", "\n", "\r": continue
            case "\"":
                guard depth > 0, "{[,:".unicodeScalars.contains(last) else { return nil }
                isQuoted = true
                continue
            case "{", "[": (depth, deepest) = (depth + 1, max(deepest, depth + 1))
            case "}", "]": depth -= 1
            // Unquoted keys are YAML's, and with them "a:"b" is one text.
            case ":": guard last == "\"" else { return nil }
            case ",", "0"..."9", "-", "+", ".", "a"..."z", "E": guard depth > 0 else { return nil }
            default: return nil
            }
            guard depth >= 0 else { return nil }
            last = scalar
        }
        return deepest > 0 && depth == 0 && !isQuoted ? deepest : nil
    }

    private struct Scan {
        var line = 1
        var fault: String?
        private var brackets = 0
        private var aliases = 0
        private var indentation = 0
        private var dashes = 0
        private var isIndenting = true
        private var isComment = false
        private var last: Unicode.Scalar = " "
        private var beforeLast: Unicode.Scalar = " "

        mutating func consume(_ scalar: Unicode.Scalar) {
            defer { (beforeLast, last) = (last, scalar) }
            if SettingsDocument.isLineBreak(scalar) {
                noteDash(before: scalar)
                if !(scalar == "\n" && last == "\r") { line += 1 }
                (indentation, dashes, isIndenting, isComment) = (0, 0, true, false)
                return
            }
            if isIndenting {
                if scalar == " " {
                    indentation += 1
                    return
                }
                isIndenting = false
                isComment = scalar == "#"
                if indentation > deepestIndentation {
                    fault = "the line is indented by more than \(deepestIndentation)"
                }
            }
            guard !isComment else { return }
            noteDash(before: scalar)
            switch scalar {
            case "[", "{": brackets += 1
            case "*" where startsToken: aliases += 1
            default: break
            }
            if brackets > mostBrackets { fault = "there are more than \(mostBrackets) of [ and {" }
            if aliases > mostAliases {
                fault = "there are more than \(mostAliases) of what may be aliases: write the values out"
            }
        }

        /// Before this scalar a text, or a reference to one, may begin.
        private var startsToken: Bool { " \t\n\r[{,:-?\u{85}\u{2028}\u{2029}\"'".unicodeScalars.contains(last) }

        private mutating func noteDash(before scalar: Unicode.Scalar) {
            let isBlank = scalar == " " || scalar == "\t" || SettingsDocument.isLineBreak(scalar)
            guard isBlank, last == "-" || last == "?" || last == ":" else { return }
            dashes += 1
            if dashes > mostDashesInALine {
                fault = "there are more than \(mostDashesInALine) lists or maps in one line"
            }
        }
    }
}
