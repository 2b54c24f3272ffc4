internal import MemoryPressure

/// Text as it may stand in HTML, between tags and in quoted attributes.
enum Markup {
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            // Controls have no meaning in HTML; each is shown as what it is.
            case _ where scalar.value < 0x20:
                result.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{fffd}")
            case "\u{7f}"..."\u{9f}", "\u{fffe}", "\u{ffff}": result += "\u{fffd}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A name that somebody gave: whatever direction it is written in, it does not turn the text around it.
    static func name(_ name: String) -> String {
        name.isEmpty ? "<span class=\"none\">no name</span>" : "<bdi>\(escaped(name))</bdi>"
    }

    /// A number for an attribute, with one decimal where it has one.
    static func number(_ value: Double) -> String {
        let tenths = Int(saturating: (value * 10).rounded())
        if tenths % 10 == 0 { return "\(tenths / 10)" }
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }

    static func percent(_ place: Double) -> String {
        // No place, where it is a part of nothing.
        let hundredths = place.isFinite ? max(0, Int(saturating: (place * 10_000).rounded())) : 0
        let rest = String(hundredths % 100)
        return "\(hundredths / 100).\(rest.count < 2 ? "0" : "")\(rest)%"
    }
}
