internal import Yams

/// Keys that were given another first character, so that a parser that refuses two of one name goes on.
///
/// The character is of the private-use area, one for each key, and takes as much room as what it stands for: no line or column
/// changes.
struct RenamedKeys {
    private static let first: UInt32 = 0xE000
    /// Each takes another run of the parser.
    private static let most = 32
    private static let mostScalars = 4 << 20

    private var originals: [Unicode.Scalar] = []
    private var scalarsSeen = 0

    /// Renames the key at `mark`; false where it is none that can be.
    mutating func rename(at mark: Mark, in text: inout [Unicode.Scalar]) -> Bool {
        scalarsSeen += text.count
        guard originals.count < Self.most, scalarsSeen <= Self.mostScalars, var index = Self.index(of: mark, in: text),
            !text.contains(where: { $0.value == Self.first + UInt32(originals.count) })
        else { return false }
        let isQuoted = text[index] == "\"" || text[index] == "'"
        if isQuoted { index += 1 }
        guard index < text.count, !"[]{}&*!|>?\\\"'".unicodeScalars.contains(text[index]),
            !SettingsDocument.isLineBreak(text[index]), let stand = Unicode.Scalar(Self.first + UInt32(originals.count))
        else { return false }
        originals.append(text[index])
        text[index] = stand
        return true
    }

    func original(_ key: String) -> String {
        guard let first = key.unicodeScalars.first, first.value >= Self.first,
            first.value < Self.first + UInt32(originals.count)
        else { return key }
        return String(originals[Int(first.value - Self.first)]) + String(key.unicodeScalars.dropFirst())
    }

    private static func index(of mark: Mark, in text: [Unicode.Scalar]) -> Int? {
        var (line, index) = (1, 0)
        while line < mark.line, index < text.count {
            if SettingsDocument.isLineBreak(text[index]) {
                if text[index] == "\r", index + 1 < text.count, text[index + 1] == "\n" { index += 1 }
                line += 1
            }
            index += 1
        }
        index += mark.column - 1
        return line == mark.line && mark.column >= 1 && index < text.count ? index : nil
    }
}
