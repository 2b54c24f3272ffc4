internal import MemoryPressure

/// The file names of the store. An identifier becomes exactly one name, and no name leads out of the directory. Pure.
enum StateFileName {
    static let state = ".scene"
    static let mark = ".restoring"
    static let damaged = ".bad"
    static let removed = ".gone"

    private static let digits = Array("0123456789abcdef".utf8)

    /// Letters, digits and `-` stand for themselves, everything else as `%` and two hexadecimal digits; what would get too
    /// long that way is written in base 64 throughout. The first letter says which, so that no two share a name.
    static func stem(_ identifier: SceneIdentifier) -> String {
        var escaped: [UInt8] = Array("s-".utf8)
        for byte in identifier.text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                escaped.append(byte)
            default: escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        guard escaped.count > longestStem else { return String(decoding: escaped, as: UTF8.self) }
        // 128 bytes come to 171 letters; in hexadecimal they would leave no room for the endings.
        return "b-" + Base64.encodeForFileNames(Array(identifier.text.utf8))
    }

    /// A name may have 255 bytes; the rest is for the endings.
    private static let longestStem = 200
}
