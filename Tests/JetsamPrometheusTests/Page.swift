import JetsamPrometheus

/// A page as whoever scrapes it reads it.
struct Page {
    struct Sample: Equatable {
        var name: String
        var labels: [String: String]
        var value: String
    }

    struct Malformed: Error {
        var line: String
        var why: String
    }

    private(set) var kinds: [String: String] = [:]
    private(set) var help: [String: String] = [:]
    private(set) var samples: [Sample] = []

    init(_ metrics: PrometheusMetrics) throws {
        try self.init(metrics.text)
    }

    /// - Throws: ``Malformed`` where a line is not as the format has it.
    init(_ text: String) throws {
        guard text.isEmpty || text.utf8.last == UInt8(ascii: "\n") else {
            throw Malformed(line: text, why: "the last line does not end")
        }
        var metric = ""
        var seen: Set<String> = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            let line = String(decoding: line, as: UTF8.self)
            if line.hasPrefix("# HELP ") {
                let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
                help[String(parts[2])] = String(parts[3])
            } else if line.hasPrefix("# TYPE ") {
                let parts = line.split(separator: " ")
                metric = String(parts[2])
                guard kinds[metric] == nil else { throw Malformed(line: line, why: "the metric comes twice") }
                kinds[metric] = String(parts[3])
            } else {
                let sample = try Self.sample(line)
                guard Self.names(metric, kinds[metric]).contains(sample.name) else {
                    throw Malformed(line: line, why: "it stands among the samples of \(metric)")
                }
                guard seen.insert("\(sample.name) \(sample.labels.sorted { $0.key < $1.key })").inserted else {
                    throw Malformed(line: line, why: "the sample comes twice")
                }
                samples.append(sample)
            }
        }
    }

    func value(_ name: String, _ labels: [String: String] = [:]) -> String? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    private static func names(_ metric: String, _ kind: String?) -> [String] {
        switch kind {
        case "histogram": ["_bucket", "_sum", "_count"].map { metric + $0 }
        case "summary": ["_sum", "_count"].map { metric + $0 }
        default: [metric]
        }
    }

    private static func sample(_ line: String) throws -> Sample {
        var rest = Substring(line).unicodeScalars
        func fail(_ why: String) -> Malformed { Malformed(line: line, why: why) }
        func isLetter(_ scalar: Unicode.Scalar) -> Bool {
            "a"..."z" ~= scalar || "A"..."Z" ~= scalar || scalar == "_"
        }
        func take(colon: Bool) throws -> String {
            var name = ""
            while let next = rest.first, isLetter(next) || "0"..."9" ~= next || (colon && next == ":") {
                name.unicodeScalars.append(next)
                rest.removeFirst()
            }
            guard let first = name.unicodeScalars.first, !("0"..."9" ~= first) else { throw fail("a name is none") }
            return name
        }
        func expect(_ scalar: Unicode.Scalar) throws {
            guard rest.popFirst() == scalar else { throw fail("'\(scalar)' is missing") }
        }
        let name = try take(colon: true)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest.removeFirst()
            while rest.first != "}" {
                if !labels.isEmpty { try expect(",") }
                let label = try take(colon: false)
                try expect("=")
                try expect("\"")
                var value = ""
                while let next = rest.popFirst(), next != "\"" {
                    guard next == "\\" else {
                        value.unicodeScalars.append(next)
                        continue
                    }
                    switch rest.popFirst() {
                    case "n": value += "\n"
                    case "\\": value += "\\"
                    case "\"": value += "\""
                    default: throw fail("an escape that there is not")
                    }
                }
                guard labels.updateValue(value, forKey: label) == nil else { throw fail("a label comes twice") }
            }
            try expect("}")
        }
        try expect(" ")
        let value = String(Substring(rest))
        guard ["NaN", "+Inf", "-Inf"].contains(value) || Double(value) != nil else { throw fail("no number") }
        return Sample(name: name, labels: labels, value: value)
    }
}
