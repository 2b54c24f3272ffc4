import MemoryPressure

@testable import BackgroundTasks
@testable import Jetsam

/// A registry of background tasks as plainly as it can be said: a list, and a look at each of its entries.
struct BackgroundTaskModel {
    enum Phase {
        case held
        case expiring
        case overdue
    }

    struct Entry {
        var name: String
        var priority: ResourcePriority
        var scene: Int?
        var began: Int64
        /// When it last told progress; nil where it never did.
        var progressed: Int64?
        /// Why it expires, or would if its own deadline came now.
        var reason = BackgroundTaskExpiry.Reason.deadline
        /// Of its own, in running time; nil where it has none.
        var deadline: Int64?
        /// From being told to that deadline.
        var lead: Int64
        var phase = Phase.held
        /// When its grace ends, once it was told.
        var graceEnds: Int64 = 0
        /// The tick in which it comes out at the earliest: time that was looked through already does not come again.
        var earliestTick: Int64
    }

    static let tick: Int64 = 1 << 20
    static let ageUnit: Int64 = 1 << 24

    let configuration: BackgroundTaskConfiguration
    var now: Int64
    var entries: [Entry] = []
    var counts = BackgroundTaskStatistics()
    var level = PressureLevel.normal
    var isShut = false
    /// The process's, in monotonic time, and how long before it everything is told.
    var draining: (deadline: Int64, lead: Int64)?
    /// Everything that was held has been told that the process ends.
    var hasToldAll = false
    var pauses = PauseModel()
    private(set) var elapsedTick: Int64

    init(_ configuration: BackgroundTaskConfiguration, now: Int64) {
        self.configuration = configuration
        self.now = now
        elapsedTick = now / Self.tick
    }

    private var lead: Int64 { configuration.lead.nanoseconds / 1000 * 1000 }
    private var running: Int64 { now - pauses.paused }

    subscript(_ name: String) -> Entry? { entries.first { $0.name == name } }

    var minimumPriority: UInt8? {
        if isShut { return nil }
        if level == .critical { return 192 }
        return level == .warning || draining != nil ? 128 : 0
    }

    /// Whether it may.
    mutating func begin(_ name: String, _ priority: ResourcePriority, after: Int64?, scene: Int?) -> Bool {
        guard let least = minimumPriority, priority.rawValue >= least else {
            counts.refused += 1
            return false
        }
        pauses.check(now)
        var lead = after.map { min(self.lead, max(0, $0) / 10_000 * 1000) } ?? 0
        var deadline = after.map { running + max(0, $0) }
        if hasToldAll, let draining {
            lead = max(0, draining.deadline - now) / 1000 * 1000
            deadline = running + lead
        }
        entries.append(
            Entry(
                name: name, priority: priority, scene: scene, began: now,
                reason: hasToldAll && draining != nil ? .draining : .deadline, deadline: deadline, lead: lead,
                earliestTick: elapsedTick))
        counts.begun += 1
        return true
    }

    /// Whether there was one to end.
    @discardableResult
    mutating func end(_ name: String) -> Bool {
        guard let index = entries.firstIndex(where: { $0.name == name }) else { return false }
        entries.remove(at: index)
        counts.ended += 1
        return true
    }

    mutating func extend(_ name: String, by nanoseconds: Int64) -> Bool {
        guard nanoseconds > 0, !hasToldAll, let index = entries.firstIndex(where: { $0.name == name }),
            entries[index].phase == .held, let deadline = entries[index].deadline,
            deadline - entries[index].lead > running
        else { return false }
        entries[index].deadline = deadline + nanoseconds
        entries[index].earliestTick = elapsedTick
        return true
    }

    mutating func progress(_ name: String) {
        guard let index = entries.firstIndex(where: { $0.name == name }) else { return }
        entries[index].progressed = now
    }

    mutating func beginDraining(_ deadline: Int64) {
        draining = (deadline, min(lead, max(0, deadline - now) / 10))
        hasToldAll = false
    }

    /// Another manager begins: what the one before it said about admission, the deadline and pauses is over.
    mutating func changeManager(_ level: PressureLevel) {
        draining = nil
        hasToldAll = false
        isShut = false
        self.level = level
        pauses.expected = nil
    }

    mutating func expireNow(_ names: [String], _ reason: BackgroundTaskExpiry.Reason) {
        guard !names.isEmpty else { return }
        pauses.check(now)
        for name in names {
            guard let index = entries.firstIndex(where: { $0.name == name }), entries[index].phase == .held else {
                continue
            }
            entries[index].deadline = running
            entries[index].lead = 0
            entries[index].reason = reason
            entries[index].earliestTick = elapsedTick
        }
    }

    private func isDue(_ time: Int64, _ entry: Entry) -> Bool {
        max((time + Self.tick - 1) / Self.tick, entry.earliestTick) <= running / Self.tick
    }

    /// Finds what is due now: who is to be told that it expires, and who is overdue.
    mutating func collect() -> (due: Set<String>, overdue: Set<String>) {
        pauses.check(now)
        elapsedTick = max(elapsedTick, running / Self.tick)
        let isAtEnd = draining.map { now >= $0.deadline - $0.lead } ?? false
        var due: Set<String> = []
        var overdue: Set<String> = []
        for index in entries.indices {
            let entry = entries[index]
            let isOwn = entry.deadline.map { isDue($0 - entry.lead, entry) } ?? false
            if entry.phase == .held, isOwn || isAtEnd && !hasToldAll {
                due.insert(entry.name)
                let process = draining.map { $0.deadline - pauses.paused } ?? .max
                let deadline = max(running, min(entry.deadline ?? .max, process))
                entries[index].phase = .expiring
                if !isOwn { entries[index].reason = .draining }
                entries[index].graceEnds = deadline + configuration.grace.nanoseconds
                entries[index].earliestTick = elapsedTick
            }
            // Not in the same breath: the walk through everything comes after what is due by its own.
            let wasWalked = due.contains(entry.name) && !isOwn
            if entries[index].phase == .expiring, !wasWalked, isDue(entries[index].graceEnds, entries[index]) {
                overdue.insert(entry.name)
                entries[index].phase = .overdue
            }
        }
        if isAtEnd { hasToldAll = true }
        counts.overdue += overdue.count
        return (due, overdue)
    }
}

extension BackgroundTaskModel {
    var statistics: BackgroundTaskStatistics {
        var statistics = counts
        statistics.overdueNow = entries.count { $0.phase == .overdue }
        statistics.held = entries.count - (configuration.overdueTasksHold ? 0 : statistics.overdueNow)
        return statistics
    }

    func remaining(_ name: String) -> Duration? {
        guard let entry = self[name], entry.phase != .overdue else { return .zero }
        let process = draining.map { max(0, $0.deadline - now) }
        let own =
            entry.phase == .held
            ? entry.deadline.map { max(0, $0 - running) }
            : max(0, entry.graceEnds - configuration.grace.nanoseconds - running)
        guard let least = [process, own].compactMap({ $0 }).min() else { return nil }
        return .nanoseconds(least)
    }

    /// How long a process still waits for a task that was told; nil where nothing bounds it.
    func timeLeft(_ entry: Entry) -> Duration? {
        let end = draining.map { $0.deadline + configuration.grace.nanoseconds }
        let overdue = configuration.overdueTasksHold ? nil : entry.graceEnds + pauses.paused
        return [end, overdue].compactMap { $0 }.min().map { .nanoseconds(max(0, $0 - now)) }
    }

    /// When something happens next, in monotonic time; nil where nothing does.
    var nextDue: Int64? {
        var times = entries.compactMap { entry -> Int64? in
            let time: Int64? =
                switch entry.phase {
                case .held: entry.deadline.map { $0 - entry.lead }
                case .expiring: entry.graceEnds
                case .overdue: nil
                }
            return time.map { max(($0 + Self.tick - 1) / Self.tick, entry.earliestTick) * Self.tick + pauses.paused }
        }
        if let draining, !hasToldAll, entries.contains(where: { $0.phase == .held }) {
            times.append(draining.deadline - draining.lead)
        }
        return times.min()
    }

    /// Units of age since `instant`; `origin` is where they begin to count.
    static func age(_ instant: Int64, now: Int64, origin: Int64) -> Int64 {
        (now - origin) / ageUnit - (instant - origin) / ageUnit
    }
}

/// The watch for time in which the process does not run.
struct PauseModel {
    var paused: Int64 = 0
    var untold: Int64 = 0
    /// Nil where nobody says when the sampler will come, or a pause was found since it was there last.
    var expected: (last: Int64, interval: Int64)?

    mutating func check(_ now: Int64) {
        guard let (last, interval) = expected, now - last > max(2 * interval, 1_000_000_000) else { return }
        paused += now - last
        untold += now - last
        expected = nil
    }

    mutating func beginTurn(_ now: Int64) -> Int64? {
        check(now)
        defer { untold = 0 }
        return untold > 0 ? untold : nil
    }
}
