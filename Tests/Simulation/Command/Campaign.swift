import Foundation

/// All seeds of one call: hands them to workers, adds up what these tell, and judges it.
final class Campaign: @unchecked Sendable {
    private let options: Options
    private var reports: [UInt64: Worker.Report] = [:]
    /// Seeds that gave another digest when they ran again.
    private var changed: [UInt64] = []
    private var repeated = 0

    /// Every so manyth seed runs a second time, in another worker.
    private static let repetition = 20

    init(_ options: Options) {
        self.options = options
    }

    /// The exit code.
    func run() throws -> Int32 {
        let baseline = try options.baseline.map { try Baseline(path: $0) } ?? Baseline()
        let start = ContinuousClock.now
        try runWorkers()
        if let missing = options.seeds.first(where: { reports[$0] == nil }) { throw Broken(seed: missing) }
        let tally = Tally(reports.values.sorted { $0.seed < $1.seed })
        let milliseconds = reports.values.reduce(0) { $0 + $1.milliseconds }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        print("\(reports.count) worlds of \(options.seconds) s in \(seconds) s, \(repeated) of them twice")
        print("\(milliseconds / reports.count) ms each\n")
        print(tally.table(baseline, isFixed: options.isFixed))
        print(tally.tableByDisturbance())
        if options.records, let path = options.baseline {
            try tally.baseline(after: baseline).write(to: path)
            print("written: \(path)")
            return changed.isEmpty ? 0 : 1
        }
        // What has to hold is said of the defaults.
        var failures = options.config == nil ? tally.failures(baseline, isFixed: options.isFixed) : []
        for seed in changed {
            failures.append("seed \(seed) gave another digest when it ran again: worlds do not repeat exactly")
        }
        for failure in failures { print("error: \(failure)") }
        return failures.isEmpty ? 0 : 1
    }

    struct Broken: Error, CustomStringConvertible {
        var seed: UInt64
        var description: String {
            "seed \(seed) was not finished: its worker ended before its time\n  to see it: tools/simulate --follow \(seed)"
        }
    }

    private func runWorkers() throws {
        let count = min(options.workers, options.seeds.count)
        var lists = [[UInt64]](repeating: [], count: count)
        for (place, seed) in options.seeds.enumerated() {
            lists[place % count].append(seed)
            if place % Self.repetition == 0 { lists[(place + 1) % count].append(seed) }
        }
        let group = DispatchGroup()
        let lock = NSLock()
        for (number, list) in lists.enumerated() {
            let worker = try WorkerProcess(list, options, number: number)
            DispatchQueue.global().async(group: group) { [self] in
                worker.read { report in
                    lock.lock()
                    add(report)
                    lock.unlock()
                }
            }
        }
        group.wait()
    }

    private func add(_ report: Worker.Report) {
        guard let earlier = reports[report.seed] else { return reports[report.seed] = report }
        repeated += 1
        if earlier.digest != report.digest { changed.append(report.seed) }
    }
}
