/// Names as Prometheus allows them, made from those that swift-metrics has.
enum MetricNames {
    /// Letters, digits, `_` and `:`, and no digit first. Every other byte becomes `_`.
    static func metric(_ label: String) -> String {
        allowed(label) { $0 == UInt8(ascii: ":") }
    }

    /// The same with `_total` at the end, by which a counter is known.
    static func counter(_ label: String) -> String {
        ending(metric(label), in: "_total")
    }

    /// The same with `_seconds` at the end: the page shows seconds, whatever unit the timer was told in.
    static func timer(_ label: String) -> String {
        ending(metric(label), in: "_seconds")
    }

    /// Letters, digits and `_`, no digit first, and no `__` first, which is Prometheus' own.
    static func label(_ name: String) -> String {
        let result = allowed(name) { _ in false }
        return result.hasPrefix("__") ? "_" + result.drop { $0 == "_" } : result
    }

    private static func ending(_ name: String, in suffix: String) -> String {
        name.hasSuffix(suffix) ? name : name + suffix
    }

    private static func allowed(_ text: String, also: (UInt8) -> Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 1)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                bytes.append(byte)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if bytes.isEmpty { bytes.append(UInt8(ascii: "_")) }
                bytes.append(byte)
            default: bytes.append(also(byte) ? byte : UInt8(ascii: "_"))
            }
        }
        return bytes.isEmpty ? "_" : String(decoding: bytes, as: UTF8.self)
    }
}
