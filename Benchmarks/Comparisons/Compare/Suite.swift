internal import ArgumentParser

/// What is measured together: cases, who is measured in them, and what must hold.
struct Suite: Sendable {
    let name: String
    let abstract: String
    let discussion: String
    let series: [Series]
    let bounds: [Bound]

    func configuration(aliases: [String] = []) -> CommandConfiguration {
        var text = discussion
        var cases: [Case] = []
        for one in series.flatMap(\.cases) where !cases.contains(where: { $0.name == one.name }) { cases.append(one) }
        text += "\n\nThe cases:\n\n" + cases.map(\.help).joined(separator: "\n")
        return CommandConfiguration(commandName: name, abstract: abstract, discussion: text, aliases: aliases)
    }
}

/// One thing that is measured.
struct Case: Sendable {
    let name: String
    /// The program's own name of it, where one run gives several figures.
    let run: String
    let summary: String
    /// Who is measured in it; nil for all of the series.
    let ways: [String]?

    init(_ name: String, run: String? = nil, of ways: [String]? = nil, _ summary: String) {
        self.name = name
        self.run = run ?? name
        self.ways = ways
        self.summary = summary
    }

    var help: String {
        var lines = [""]
        for word in summary.split(separator: " ") {
            if lines[lines.count - 1].count + word.count > 70 { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return name + "\n" + lines.map { "      " + $0 }.joined(separator: "\n")
    }
}

/// Cases that are measured in turn, so that what changes on the machine meanwhile meets them all.
struct Series: Sendable {
    enum Rounds {
        /// As many where `--rounds` says nothing else.
        case usually(Int)
        case always(Int)
    }

    enum Preload {
        case none
        /// The library that counts allocations.
        case allocationCount
        /// jemalloc, where it is the allocator that is measured.
        case jemallocFor(Set<String>)
    }

    let program: String
    let cases: [Case]
    let ways: [String]
    let rounds: Rounds
    var preload = Preload.none
    /// The programs come from the build with a clock in every lock.
    var clocksLocks = false

    func ways(of one: Case) -> [String] { one.ways ?? ways }
}
