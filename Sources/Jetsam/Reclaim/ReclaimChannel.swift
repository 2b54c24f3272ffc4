internal import MemoryPressure
internal import Synchronization

/// Between the side that decides and the threads that do: demands one way, gauges the other.
///
/// The sampler uses it. Its lock is only ever held to move a few words; signalling neither allocates nor blocks.
final class ReclaimChannel: Sendable {
    struct Mail {
        var demand: ReclaimDemand?
        var regrowth: Regrowth.Decision?
        /// Give a limit to those that have none: what they have, and so many bytes together.
        var hold: Int?
        var ladder: LadderOrder?
        /// Comes once, and beside whatever else waits.
        var lastResort: LadderOrder?
        /// Ask the allocator how much it retains.
        var looksAtAllocator = false
        /// Find out what comes back of what a cache gives, where that is not known.
        var probes = false
        /// Memory grows as it must have done in a step that seemed to bring nothing.
        var reconsiders = false
    }

    let gauges = ReclaimGauges()
    let threads: any ThreadSource
    /// The threads that call handlers and trim.
    let handlers: ReplaceableThreads
    let spot: any WaitingSpot
    /// The place where the steward waits, see ``ReclaimThreads``.
    let steward: any WaitingSpot
    /// The place where a thread waits that has caches give whose memory is the library's own, see ``ReclaimThreads``.
    let segments: any WaitingSpot
    private let mail = Lock(Mail())
    private let hasMail = Atomic<Bool>(false)
    private let besides = Lock<[ReclaimBeside]>([])

    /// - Parameter threads: The source of the threads that wait here.
    init(threads: any ThreadSource = SystemThreads()) {
        self.threads = threads
        handlers = ReplaceableThreads(most: ReclaimThreads.most, source: threads)
        spot = threads.makeSpot()
        steward = threads.makeSpot()
        segments = threads.makeSpot()
    }

    /// Leaves work for the thread that waits at ``segments``; false where there is none.
    func post(_ beside: ReclaimBeside) -> Bool {
        guard gauges.hasSegmentsThread else { return false }
        besides.withLock { $0.append(beside) }
        segments.signal()
        return true
    }

    func popFirstBeside() -> ReclaimBeside? {
        besides.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func post(_ demand: ReclaimDemand) {
        mail.withLock { $0.demand = demand }
        delivered()
    }

    func post(_ regrowth: Regrowth.Decision) {
        mail.withLock { $0.regrowth = regrowth }
        delivered()
    }

    func postHold(bytes: Int) {
        mail.withLock { $0.hold = bytes }
        delivered()
    }

    func post(_ order: LadderOrder) {
        mail.withLock { mail in
            if order.action == .lastResort { mail.lastResort = order } else { mail.ladder = order }
        }
        delivered()
    }

    func postLookAtAllocator() {
        mail.withLock { $0.looksAtAllocator = true }
        delivered()
    }

    func postProbe() {
        mail.withLock { $0.probes = true }
        delivered()
    }

    /// Tells how fast unmanaged memory grows, in bytes a second.
    func noteGrowth(_ growthRate: Int) {
        guard gauges.exposesJudgement(growthRate: growthRate) else { return }
        mail.withLock { $0.reconsiders = true }
        delivered()
    }

    var isEmpty: Bool { !hasMail.load(ordering: .acquiring) }

    /// The level of the demand that waits; nil where none does.
    var pendingLevel: PressureLevel? {
        isEmpty ? nil : mail.withLock { $0.demand?.level }
    }

    /// All that was posted since the last call.
    func collectMail() -> Mail {
        hasMail.store(false, ordering: .releasing)
        return mail.withLock { mail in
            defer { mail = Mail() }
            return mail
        }
    }

    /// There is something to do: for a thread that waits, or else for the first that comes back.
    func wake() {
        spot.signal()
        if gauges.parkedThreads == 0 { steward.signal() }
    }

    /// Wakes a reclaim thread, or else the steward: the work that there is has not been done in time.
    func nudge() {
        if gauges.parkedThreads > 0 { spot.signal() } else { steward.signal() }
    }

    private func delivered() {
        hasMail.store(true, ordering: .releasing)
        wake()
    }
}
