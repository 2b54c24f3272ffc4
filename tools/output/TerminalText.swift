/// Text as a terminal shows it: some characters take two columns, some none, and some it would obey instead of showing.
package enum TerminalText {
    /// The text with every character escaped that a terminal would act on, or that changes the direction of what follows.
    package static func clean(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            result += isHarmful(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        return result
    }

    /// Control characters of both ranges, line and paragraph separators, and what embeds or overrides directions.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x61C: true
        default:
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
            default: false
            }
        }
    }

    /// How many columns the text takes.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    private static func width(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        // A variation selector asks for the picture, which is wide.
        if scalars.contains(where: { $0.value == 0xFE0F }), scalars.count > 1 { return 2 }
        return scalars.map(width).max() ?? 0
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return isWide(scalar.value) ? 2 : 1
    }

    /// East Asian wide and full-width characters (Unicode Standard Annex 11), by blocks.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// The text in at most so many columns: where it is wider its end is left out, which an ellipsis shows.
    package static func shortened(_ text: String, _ columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var result = ""
        var taken = 0
        for character in text {
            let next = width(character)
            guard taken + next < columns else { break }
            result.append(character)
            taken += next
        }
        return result + "…"
    }

    /// The text in exactly so many columns, to the left or to the right of them.
    package static func fitted(_ text: String, _ columns: Int, toRight: Bool = false) -> String {
        let text = shortened(text, columns)
        let blanks = String(repeating: " ", count: max(0, columns - width(text)))
        return toRight ? blanks + text : text + blanks
    }
}
