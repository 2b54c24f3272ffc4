import Foundation

/// How often each invariant is violated today, over the fixed seeds. One that holds over all seeds is not listed with a number but with
/// `holds`; 0 says that other seeds may violate it.
struct Baseline {
    /// Without those that hold.
    private(set) var counts: [String: Int] = [:]

    init() {}

    init(counts: [String: Int]) {
        self.counts = counts
    }

    init(path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words.count >= 2, InvariantName(rawValue: String(words[0])) != nil,
                words[1] == "holds" || Int(words[1]) != nil
            else { throw Options.Wrong(text: "\(path): a line is 'NAME COUNT' or 'NAME holds', not '\(line)'") }
            counts[String(words[0])] = Int(words[1])
        }
    }

    /// Whether it has to hold, over all seeds.
    func holds(_ name: InvariantName) -> Bool { counts[name.rawValue] == nil }

    /// How often it may be violated over the fixed seeds; 0 where it has to hold.
    func allowed(_ name: InvariantName) -> Int { counts[name.rawValue] ?? 0 }

    func write(to path: String) throws {
        var text = """
            # How often each invariant is violated over the seeds 1 to 100. Written by tools/simulate --record.
            # One that holds must go on to hold, over all seeds. The others may not be violated more often than this over these.

            """
        for name in InvariantName.allCases {
            text += "\(name.rawValue) \(holds(name) ? "holds" : "\(allowed(name))")\n"
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
