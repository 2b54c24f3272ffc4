/// Writes samples in Prometheus' text format, version 0.0.4.
struct PageWriter {
    private(set) var bytes: [UInt8] = []

    /// Describes a metric: what follows are its samples.
    mutating func describe(_ name: String, _ kind: MetricKind, help: String?) {
        if let help {
            bytes += "# HELP \(name) ".utf8
            bytes.appendEscaped(help, quotes: false)
            bytes.append(Self.newline)
        }
        bytes += "# TYPE \(name) \(kind.word)\n".utf8
    }

    /// - Parameters:
    ///   - suffix: The suffix of the sample's name.
    ///   - bound: The upper bound of a bucket.
    mutating func sample(
        _ name: String, suffix: String = "", _ labels: SeriesLabels, bound: String? = nil, _ value: String
    ) {
        bytes += name.utf8
        bytes += suffix.utf8
        if bound != nil || !labels.bytes.isEmpty {
            bytes.append(UInt8(ascii: "{"))
            bytes += labels.bytes
            if let bound {
                if !labels.bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
                bytes += "le=\"\(bound)\"".utf8
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes += " \(value)\n".utf8
    }

    mutating func append(_ other: PageWriter) {
        bytes += other.bytes
    }

    private static let newline = UInt8(ascii: "\n")
}

extension Double {
    /// The number as the format has it: `NaN`, `+Inf` and `-Inf` by name, whole numbers without a fraction.
    var onPage: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Inf" : "+Inf" }
        // Up to here every whole number is exact.
        return self == rounded() && magnitude < 0x1p53 ? "\(Int64(self))" : "\(self)"
    }
}
