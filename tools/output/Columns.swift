/// Text laid out for a terminal of 100 columns.
package enum Columns {
    package static let width = 100

    /// `text` broken at blanks into lines that begin with `indent` blanks, the first one with `first` in their place.
    package static func wrapped(_ text: String, indent: Int, first: String? = nil) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = first ?? margin
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                (line, isEmpty) = (margin, true)
            }
            line += isEmpty ? String(word) : " \(word)"
            isEmpty = false
        }
        return lines + [line]
    }

    package static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// A text of at most `width` characters, with its middle left out where it is longer.
    package static func shortened(_ text: String, _ width: Int) -> String {
        guard text.count > width else { return text }
        let head = (width - 1) / 2
        return text.prefix(head) + "…" + text.suffix(width - 1 - head)
    }

    /// Rows of equally many cells as lines: the first column to the left, the others to the right.
    package static func aligned(_ rows: [[String]]) -> [String] {
        let count = rows.first?.count ?? 0
        let widths = (0..<count).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.indices.map { column in
                let blanks = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + blanks : blanks + row[column]
            }.joined(separator: "  ")
        }
    }
}
