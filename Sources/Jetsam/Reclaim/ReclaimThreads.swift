internal import MemoryPressure
internal import Synchronization
internal import SystemPackage

/// The threads that call handlers and trim. Three exist from the start: where the limit is near, handlers that are known to be slow
/// work side by side, and one that hangs does not stop the others.
///
/// A fourth, the steward, never calls a handler: when all others hang in one, it starts another. If there are too many, or none
/// can be started, it ends the step itself, so that the ladder goes on.
///
/// A fifth has caches give whose memory is the library's own. It calls no code of the application's either, so that no handler
/// keeps these waiting.
final class ReclaimThreads: Sendable {
    static let count = 3
    private static let name = "jetsam.reclaim"
    /// Threads lost to handlers that do not come back are replaced up to this number in all.
    static let most = 8
    /// The steward neither formats nor compresses.
    private static let stewardStackBytes = 256 << 10

    private let reclaimer: Reclaimer
    private let ladder: Ladder
    private let channel: ReclaimChannel
    private let bell: Bell
    private let isStopped = Atomic<Bool>(false)

    init(reclaimer: Reclaimer, ladder: Ladder, bell: Bell) {
        self.reclaimer = reclaimer
        self.ladder = ladder
        self.bell = bell
        channel = reclaimer.channel
    }

    func start() throws(Errno) {
        for _ in 0..<Self.count { try channel.handlers.start(Self.name) { self.loop() } }
        try channel.threads.start("jetsam.steward", stackBytes: Self.stewardStackBytes) { self.standBy() }
        try channel.threads.start("jetsam.segments", stackBytes: Self.stewardStackBytes) { self.giveSegments() }
        channel.gauges.setSegmentsThread(true)
        reclaimer.start()
    }

    /// The threads end as soon as they come back from what they are at; one in a handler is not waited for.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        channel.gauges.setSegmentsThread(false)
        reclaimer.stop()
        ladder.stop()
        for _ in 0..<Self.most { channel.spot.signal() }
        channel.steward.signal()
        channel.segments.signal()
    }

    private func giveSegments() {
        while !isStopped.load(ordering: .acquiring) {
            channel.segments.wait(for: nil)
            reclaimer.giveSegments()
        }
    }

    private func loop() {
        while !isStopped.load(ordering: .acquiring) {
            // One that came back from a handler after it was replaced is one too many.
            if channel.gauges.parkedThreads >= Self.count { return }
            channel.gauges.willPark()
            channel.spot.wait(for: nil)
            channel.gauges.didUnpark()
            reclaimer.work(with: ladder)
        }
    }

    private func standBy() {
        var hasTold = false
        while true {
            channel.steward.wait(for: nil)
            if isStopped.load(ordering: .acquiring) { return }
            guard reclaimer.isHeldUp else { continue }
            if replaceHungThread() {
                hasTold = false
                bell.publish(.replaced)
                continue
            }
            if !hasTold { bell.publish(.heldUp) }
            hasTold = true
            reclaimer.work(callsHandlers: false, with: ladder)
        }
    }

    /// Starts one more thread in place of those that hang; false where there are too many or none can be had.
    private func replaceHungThread() -> Bool {
        guard channel.handlers.replace(Self.name, { self.loop() }) else { return false }
        // It parks first, like all of them, and what it was started for waits already.
        channel.spot.signal()
        return true
    }
}
