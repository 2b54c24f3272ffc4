/// The elements of a page, read strictly: every one is closed, in order.
struct HTMLOutline {
    private(set) var mistakes: [String] = []
    private(set) var counts: [String: Int] = [:]
    /// The levels of the headings in their order.
    private(set) var headings: [Int] = []

    private static let void: Set = ["meta", "br", "hr", "img", "input", "!DOCTYPE"]

    init(_ html: String) {
        var open: [String] = []
        var identifiers: [String: Int] = [:]
        var references: [String] = []
        var rest = html[...]
        while let start = rest.firstIndex(of: "<") {
            let text = rest[..<start]
            if text.contains(">"), open.last != "style" { mistakes.append("a bare > in \(open.last ?? "")") }
            guard let end = rest[start...].firstIndex(of: ">") else {
                mistakes.append("an open <")
                break
            }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            let name = String(tag.drop { $0 == "/" }.prefix { !" /\n".contains($0) })
            for (attribute, value) in Self.attributes(tag) {
                switch attribute {
                case "id": identifiers[value, default: 0] += 1
                case "aria-labelledby", "aria-describedby": references += value.split(separator: " ").map(String.init)
                case "href": references.append(String(value.drop { $0 == "#" }))
                default: break
                }
            }
            if tag.hasPrefix("/") {
                if open.popLast() != name { mistakes.append("</\(name)> closes another") }
                continue
            }
            counts[name, default: 0] += 1
            if name.count == 2, name.hasPrefix("h"), let level = Int(name.dropFirst()) { headings.append(level) }
            if !tag.hasSuffix("/"), !Self.void.contains(name) { open.append(name) }
        }
        if !open.isEmpty { mistakes.append("left open: \(open)") }
        mistakes += identifiers.filter { $0.value > 1 }.map { "\($0.key) is there \($0.value) times" }
        mistakes += references.filter { identifiers[$0] == nil }.map { "nothing is called \($0)" }
    }

    private static func attributes(_ tag: Substring) -> [(String, String)] {
        var result: [(String, String)] = []
        var rest = tag.drop { $0 != " " && $0 != "\n" }
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].split(whereSeparator: { " \n".contains($0) }).last ?? ""
            let value = rest[equals...].dropFirst(2).prefix { $0 != "\"" }
            result.append((String(name), String(value)))
            rest = rest[value.endIndex...].dropFirst()
        }
        return result
    }
}
