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
    /// A line for the shell that comes first; nil for none. The limit is set only where it ends with status 0.
    var preparation: String?

    /// What was done so far.
    struct State {
        private enum Phase {
            case waiting
            case preparing(process: Int32, since: Duration)
            /// The next write is due at that time.
            case writing(at: Duration)
            case over
        }

        /// When the first write began, since the command's start; nil where it did not.
        private(set) var begun: Duration?
        /// The group's usage when the first write began.
        private(set) var usageBytes: Int?
        /// Writes that the kernel refused, as version 1 does while it cannot push the usage below the new limit.
        private(set) var refusals = 0
        /// From the first write until the limit was set; nil where it never was.
        private(set) var took: Duration?
        /// Why it was given up: an error that trying again does not change, or a preparation that could not be started.
        private(set) var failure: Errno?
        /// How the preparation ended, and after how long; nil where there was none, or it was not over.
        private(set) var prepared: (end: System.ProcessEnd, took: Duration)?

        private let plan: Resize
        private var phase = Phase.waiting

        init(_ plan: Resize) {
            self.plan = plan
        }

        /// When something is due, since the command's start; nil where nothing is, or a child's end is waited for.
        var due: Duration? {
            switch phase {
            case .waiting: plan.after
            case .writing(let time): time
            case .preparing, .over: nil
            }
        }

        /// The process that prepares; nil where none runs.
        var preparing: Int32? { if case .preparing(let process, _) = phase { process } else { nil } }

        /// Does what is due.
        ///
        /// - Parameters:
        ///   - start: Starts a line for the shell, and gives its process.
        ///   - end: Gives how a process ended; nil while it runs.
        ///   - write: Sets the limit; nil where that worked.
        mutating func tick(
            usageBytes usage: @autoclosure () -> Int?, elapsed: () -> Duration,
            start: (String) throws(Errno) -> Int32, end: (Int32) -> System.ProcessEnd?, write: (Int) -> Errno?
        ) {
            if case .waiting = phase, elapsed() >= plan.after { begin(elapsed(), start) }
            if case .preparing(let process, let since) = phase, let end = end(process) {
                let now = elapsed()
                prepared = (end, now - since)
                phase = end == .exited(0) ? .writing(at: now) : .over
            }
            if case .writing(let time) = phase, elapsed() >= time { self.write(usage(), elapsed, write) }
        }

        private mutating func begin(_ now: Duration, _ start: (String) throws(Errno) -> Int32) {
            guard let line = plan.preparation else { return phase = .writing(at: now) }
            do throws(Errno) { phase = .preparing(process: try start(line), since: now) } catch {
                failure = error
                phase = .over
            }
        }

        private mutating func write(_ usage: Int?, _ elapsed: () -> Duration, _ write: (Int) -> Errno?) {
            let now = elapsed()
            if begun == nil {
                begun = now
                usageBytes = usage
            }
            switch write(plan.bytes) {
            case nil:
                took = elapsed() - (begun ?? now)
                phase = .over
            case .resourceBusy, .interrupted:
                refusals += 1
                phase = .writing(at: elapsed() + Resize.retryInterval)
            case let error?:
                failure = error
                phase = .over
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
        ].filter { Syscalls.exists(path + "/" + $0.0) }
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
