internal import CLinuxShims
internal import Dispatch
internal import Jetsam
internal import MemoryPressure
internal import _StressPatterns

/// What releases the cache of a run when memory runs short, in the ways that have something.
final class ServeReleases {
    private let manager: ManagedCache?
    private let source: MemoryPressureSource?
    private let queue = DispatchQueue(label: "jetsam-stress.pressure")
    private let warnings = Lock<[TimelineEntry]>([])

    /// Comes back once it watches.
    init(
        _ way: ServeWay, _ cache: any ServedCache, _ ledger: ServeLedger, since start: MonotonicInstant,
        control: String?, logs: Bool
    ) throws {
        switch way {
        case .nothing, .fixed:
            manager = nil
            source = nil
        case .jetsam:
            source = nil
            manager = try ManagedCache(nil, since: start, control: control, isVerbose: logs) { step in
                ledger.look(cacheBytes: cache.heldBytes)
                ledger.release(bytes: step.returnedBytes, took: step.duration)
            }
        case .cleared:
            manager = nil
            source = MemoryPressureSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: queue)
            watch(cache, ledger, since: start)
        }
    }

    private func watch(_ cache: any ServedCache, _ ledger: ServeLedger, since start: MonotonicInstant) {
        guard let source, let cache = cache as? RecentlyUsedCache else { return }
        source.setEventHandler { [warnings, unowned source] in
            let clock = SystemMonotonicClock()
            let begin = clock.now
            let level: PressureLevel = source.data.contains(.critical) ? .critical : .warning
            ledger.look(cacheBytes: cache.heldBytes)
            let headroom = ledger.summary.headroomBytes ?? 0
            warnings.withLock { $0.append(TimelineEntry(level, headroomBytes: headroom, at: begin, since: start)) }
            let bytes = cache.clear()
            _ = jetsam_malloc_trim()
            ledger.look(cacheBytes: cache.heldBytes)
            ledger.release(bytes: bytes, took: begin.duration(to: clock.now))
        }
        source.activate()
    }

    /// Ends it, and gives what happened.
    func finish() -> [TimelineEntry] {
        source?.cancel()
        queue.sync {}
        return manager?.finish() ?? warnings.withLock { $0 }
    }
}
