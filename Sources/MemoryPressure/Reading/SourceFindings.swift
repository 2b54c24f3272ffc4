internal import SystemPackage

/// The facts that are known of a reader's sources, before they are put into words: they can be taken where nothing may be allocated.
package struct SourceFindings {
    /// A file of a source: the first that is of no use, or else the process's own.
    struct Finding {
        private(set) var path: String
        private(set) var failure: KernelFile.Failure

        init(_ file: KernelFile) { (path, failure) = (file.path, file.failure) }

        /// Takes another file of the same source into account.
        mutating func add(_ file: KernelFile) {
            if failure == .none, file.failure != .none { self = Finding(file) }
        }

        fileprivate var reason: String? {
            switch failure {
            case .none: nil
            case .opening(let code), .reading(let code): ErrnoText.reading(Errno(rawValue: code))
            case .empty: "the file is empty"
            case .malformed: "the file does not have the form that is expected of it"
            }
        }
    }

    let obstacle: String?
    let mayHideLimit: Bool
    let pressure: Finding
    let machine: Finding
    let footprint: Finding
    // These are nil where there is no cgroup with memory accounting.
    var usage: Finding?
    var limits: Finding?
    var events: Finding?

    /// Every source: used, or why not.
    package var statuses: [SourceStatus] {
        [
            status(.usage, usage), status(.limits, limits), status(.memoryEvents, events),
            status(.pressureTotals, pressure), status(.memoryInfo, machine), status(.footprint, footprint),
        ]
    }

    /// The reason why a limit may be set that is not known; nil where every limit that can be set is known.
    package var unknownLimitReason: String? {
        if mayHideLimit { return obstacle }
        guard let limits, let reason = limits.reason else { return nil }
        return "\(limits.path): \(reason)"
    }

    private func status(_ source: MemorySignalSource, _ finding: Finding?) -> SourceStatus {
        guard let finding else {
            let reason = obstacle ?? "the process is in no cgroup with a memory controller"
            return SourceStatus(source: source, path: nil, availability: .notAvailable(reason: reason))
        }
        let availability = finding.reason.map { SourceStatus.Availability.notAvailable(reason: $0) }
        return SourceStatus(source: source, path: finding.path, availability: availability ?? .used)
    }
}
