internal import ArgumentParser
internal import Foundation

extension Compare {
    struct Caches: ParsableCommand {
        static let configuration = Suite.caches.configuration()

        @OptionGroup var options: CompareOptions

        @Option(
            name: .customLong("trace"), parsing: .singleValue,
            help: ArgumentHelp(
                "Only hit rates, of accesses that were recorded, where 1, 10 and 20 % of their distinct keys fit.",
                discussion: """
                    FILE has one key a line, or is libCacheSim's oracleGeneral (24 bytes an access) where its name ends in \
                    .oracleGeneral or .oracleGeneral.bin. May be given several times.
                    """,
                valueName: "FILE"))
        var traces: [String] = []

        @Option(
            name: .customLong("generate"), parsing: .singleValue,
            help: ArgumentHelp(
                "Only hit rates, of accesses that are made up.",
                discussion: """
                    zipf, shift, scan: as in the cases. loop: the same 100,000 keys round and round. database: pages of an \
                    index and its rows. drift: what is new is popular for a while. May be given several times.
                    """,
                valueName: "NAME"))
        var workloads: [String] = []

        @Option(help: .hidden)
        var published: String?

        func validate() throws {
            for trace in traces where !FileManager.default.isReadableFile(atPath: trace) {
                throw ValidationError("--trace takes a file that can be read, not '\(trace)'")
            }
        }

        func run() throws {
            if options.onlyOptions { return }
            var rows: [Row] = []
            var verdicts: [Bool] = []
            var files = traces
            let measuresAll = traces.isEmpty && workloads.isEmpty
            if measuresAll {
                let figures = try options.measuring.measure(.caches)
                Report.show(figures)
                rows = figures.rows
                verdicts.append(Report.judge(Suite.caches.bounds, figures))
                files = try publishedTraces()
            }
            Report.step("hit rates")
            let rates = try HitRates(traces: files, workloads: workloads)
            rates.show()
            try options.write(rows + rates.rows)
            verdicts.append(Report.judge(HitRates.bounds(rates), Figures()))
            try options.conclude(verdicts)
        }

        private func publishedTraces() throws -> [String] {
            guard let published else { throw ValidationError("--published is needed: start this by tools/bench") }
            return try FileManager.default.contentsOfDirectory(atPath: published).sorted().map { "\(published)/\($0)" }
        }
    }
}
