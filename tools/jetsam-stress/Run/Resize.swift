internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

/// A new limit for the group of a run, set in place while the command runs.
struct Resize: Hashable {
    /// How long it waits after a refusal before it tries again.
    static let retryInterval = Duration.milliseconds(10)

    var bytes: Int
    /// Since the command's start.
    var after: Duration

    /// What has become of it.
    struct State {
        /// When the first write began, since the command's start; nil where the command ended before.
        private(set) var begun: Duration?
        /// The group's usage when the first write began.
        private(set) var usageBytes: Int?
        /// Writes that the kernel refused, as version 1 does while it cannot push the usage below the new limit.
        private(set) var refusals = 0
        /// From the first write until the limit was set; nil where it never was.
        private(set) var took: Duration?
        /// Why it was given up: an error that trying again does not change.
        private(set) var failure: Errno?

        private let plan: Resize
        private var next: Duration

        init(_ plan: Resize) {
            self.plan = plan
            next = plan.after
        }

        /// When the next write is due, since the command's start; nil where there is none.
        var due: Duration? { took == nil && failure == nil ? next : nil }

        /// Writes the limit where a write is due.
        mutating func tick(usageBytes usage: @autoclosure () -> Int?, elapsed: () -> Duration, write: (Int) -> Errno?) {
            let now = elapsed()
            guard let due, now >= due else { return }
            if begun == nil {
                begun = now
                usageBytes = usage()
            }
            switch write(plan.bytes) {
            case nil: took = elapsed() - (begun ?? now)
            case .resourceBusy, .interrupted:
                refusals += 1
                next = elapsed() + Resize.retryInterval
            case let error?: failure = error
            }
        }
    }
}

extension LimitedGroup {
    /// Sets the hard limit, and on version 1 the sum with swap, in the order that the kernel demands: the sum is never the smaller one.
    func setLimit(bytes: Int, swapBytes: Int) -> Errno? {
        guard version == .v1 else { return writing("\(bytes)", to: "memory.max") }
        let writes = [
            ("memory.limit_in_bytes", bytes), ("memory.memsw.limit_in_bytes", bytes + swapBytes),
        ].filter { System.exists(path + "/" + $0.0) }
        let isSmaller = limitBytes.map { bytes < $0 } ?? true
        for (file, value) in isSmaller ? writes : writes.reversed() {
            if let error = writing("\(value)", to: file) { return error }
        }
        return nil
    }

    private func writing(_ text: String, to file: String) -> Errno? {
        do throws(Errno) {
            try System.write(text, to: path + "/" + file)
            return nil
        } catch { return error }
    }
}
