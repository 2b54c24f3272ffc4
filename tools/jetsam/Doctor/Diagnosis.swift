internal import Dispatch
internal import MemoryPressure

/// What can be had here, as found by trying.
struct Diagnosis {
    var kernel: String?
    var totalBytes: Int?
    var availableBytes: Int?
    var swapBytes: Int?
    var process: ProcessFindings
    var cgroup: CgroupFindings
    var levels: [CgroupLevel] = []
    /// The first reading; nil where none can be taken.
    var reading: MemoryReading?
    var sources: [SourceFinding] = []
    var notes: [String] = []
    /// Why a limit may be set that is not known.
    var unknownLimitReason: String?

    /// Opens, arms, reads, and lets go again.
    init(of root: KernelRoot) {
        let files = KernelText(root: root)
        kernel = files.line("/proc/sys/kernel/osrelease")
        totalBytes = files.memory("MemTotal:")
        availableBytes = files.memory("MemAvailable:")
        swapBytes = files.memory("SwapTotal:")
        process = ProcessFindings(files)

        var statuses: [SourceStatus]
        var isPrivate = false
        do throws(MemoryPressureError) {
            let reader = try KernelReader(root: root)
            reading = reader.read(.full, at: SystemMonotonicClock().now, includingStall: true)
            levels = reader.levels
            statuses = reader.sources
            isPrivate = reader.isPrivate
            unknownLimitReason = reader.unknownLimitReason
        } catch {
            statuses = error.statuses
        }
        cgroup = CgroupFindings(files, own: levels.first)
        let readings = statuses
        let (wakeUps, hasShortWindows) = Self.wakeUps(in: root, files, reading, levels)
        sources =
            wakeUps.map { SourceFinding($0, .wakeUp, hasShortWindows: hasShortWindows, isPrivate: isPrivate) }
            + readings.map { SourceFinding($0, .reading, hasShortWindows: hasShortWindows, isPrivate: isPrivate) }
        notes = makeNotes() + [StopTime(files)?.note].compactMap(\.self)
    }

    /// Whether there is something to judge by: how much room is left.
    var isUsable: Bool { (reading?.limitBytes ?? 0) > 0 }

    var tightest: CgroupLevel? {
        guard let reading, levels.indices.contains(reading.tightestLevel) else { return nil }
        return levels[reading.tightestLevel]
    }

    private static func wakeUps(
        in root: KernelRoot, _ files: KernelText, _ reading: MemoryReading?, _ levels: [CgroupLevel]
    ) -> (statuses: [SourceStatus], hasShortWindows: Bool) {
        // A tree with faults is made up for a test and knows what it does; other copies are somebody's files.
        guard files.isKernels || !root.faults.isEmpty else {
            let reason = "not tried: these are copies of the kernel's files, and would be written to"
            let sources = [MemorySignalSource.pressureTrigger, .memoryEvents, .usageThreshold, .systemdWatch]
            return (
                sources.map { SourceStatus(source: $0, path: nil, availability: .notAvailable(reason: reason)) }, false
            )
        }
        let events = KernelEvents(
            root: root, queue: DispatchQueue(label: "doctor"), clock: SystemMonotonicClock(),
            environment: files.environment
        ) { _ in }
        defer { events.cancel() }
        events.activate()
        let tightest = reading.flatMap { levels.indices.contains($0.tightestLevel) ? levels[$0.tightestLevel] : nil }
        if let watched = tightest ?? levels.first {
            _ = events.armUsageThresholds(
                directory: watched.directory, bytes: [(watched.hardLimitBytes ?? 1 << 40) / 2])
        }
        let statuses = events.statuses.map { status in
            guard tightest == nil, status.source == .usageThreshold, status.isUsed else { return status }
            let reason = "it can be armed, but there is no limit for it to watch over"
            return SourceStatus(
                source: status.source, path: status.path, availability: .notAvailable(reason: reason))
        }
        let trigger = statuses.first { $0.source == .pressureTrigger && $0.isUsed }
        return (statuses, trigger?.path.map { ShortWindow.isAllowed(on: $0, in: root) } ?? false)
    }

    private func makeNotes() -> [String] {
        var notes: [String] = []
        if cgroup.isNamespaced == true {
            notes.append(
                "A cgroup namespace is in force: ancestors outside it, and their limits, are invisible here. "
                    + "A limit that the host sets further up shows only in its effect.")
        }
        if let part = cgroup.mountedPart {
            notes.append("Only \(part) and what is below it is mounted: its ancestors' limits are invisible here.")
        }
        if let unknownLimitReason {
            notes.append(
                "Warning: whether there is a limit is not known (\(unknownLimitReason)). "
                    + "Where there is one, the process is killed at it without having been warned.")
        } else if let reading, reading.limitBytes > 0, !reading.isLimited {
            notes.append(
                levels.contains { $0.hardLimitBytes != nil }
                    ? "The machine has less left than the limits allow: it comes first."
                    : "No limit is set: what is left of the whole machine is what counts.")
        }
        if swapBytes == 0, sources.contains(where: { $0.status.source == .pressureTrigger && $0.status.isUsed }) {
            notes.append(
                "Without swap, memory that grows into a hard limit stalls nobody before the kernel kills: "
                    + "room and growth must warn, not PSI.")
        }
        if process.identifier != nil {
            notes.append("Triggers were armed with this command's rights, which may be more than that process has.")
        }
        return notes
    }
}
