/// A table with a caption, whose first cell of a row is its heading.
struct HTMLTable {
    var id: String
    var caption: String
    var headings: [String]
    /// Cells as HTML; a row is as long as the headings.
    var rows: [[String]]
    /// Which columns are figures and stand to the right.
    var figures: Set<Int> = []

    var html: String {
        let head = headings.enumerated().map {
            "<th scope=\"col\"\(style($0.offset))>\(Markup.escaped($0.element))</th>"
        }
        let body = rows.map { row in
            "<tr>"
                + row.enumerated().map { index, cell in
                    index == 0
                        ? "<th scope=\"row\"\(style(0))>\(cell)</th>" : "<td\(style(index))>\(cell)</td>"
                }.joined() + "</tr>"
        }
        // It scrolls in itself where the page is too narrow, and can be scrolled by the keyboard.
        return """
            <div class="scroll" role="region" tabindex="0" aria-labelledby="\(id)-caption">
            <table id="\(id)"><caption id="\(id)-caption">\(Markup.escaped(caption))</caption>
            <thead><tr>\(head.joined())</tr></thead>
            <tbody>
            \(body.joined(separator: "\n"))
            </tbody></table></div>

            """
    }

    private func style(_ column: Int) -> String { figures.contains(column) ? " class=\"figure\"" : "" }
}
