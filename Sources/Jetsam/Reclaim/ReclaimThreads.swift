internal import MemoryPressure
internal import Synchronization
internal import SystemPackage

/// The threads that call handlers and trim. Two exist from the start, so that one that hangs does not stop the other.
final class ReclaimThreads: Sendable {
    private static let count = 2
    /// Threads lost to handlers that never come back are replaced up to this number in all.
    private static let most = 8

    private let reclaimer: Reclaimer
    private let channel: ReclaimChannel
    private let isStopped = Atomic<Bool>(false)

    init(reclaimer: Reclaimer) {
        self.reclaimer = reclaimer
        channel = reclaimer.channel
    }

    func start() throws(Errno) {
        for _ in 0..<Self.count { try add() }
        reclaimer.start()
    }

    /// Starts one more thread in place of one that hangs; false where there are too many or none can be had.
    func replaceHungThread() -> Bool {
        guard !isStopped.load(ordering: .acquiring), channel.gauges.parkedThreads == 0,
            channel.gauges.liveThreads < Self.most
        else { return false }
        do {
            try add()
        } catch {
            return false
        }
        // It parks first, like all of them, and what it was started for waits already.
        channel.spot.signal()
        return true
    }

    /// The threads end as soon as they come back from what they are at; one in a handler is not waited for.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        reclaimer.stop()
        for _ in 0..<Self.most { channel.spot.signal() }
    }

    private func add() throws(Errno) {
        channel.gauges.threadStarted()
        do {
            try ServiceThread.start("jetsam.reclaim") { self.loop() }
        } catch {
            channel.gauges.threadEnded()
            throw error
        }
    }

    private func loop() {
        defer { channel.gauges.threadEnded() }
        while !isStopped.load(ordering: .acquiring) {
            // One that came back from a handler after it was replaced is one too many.
            if channel.gauges.parkedThreads >= Self.count { return }
            channel.gauges.willPark()
            channel.spot.wait(for: nil)
            channel.gauges.didUnpark()
            reclaimer.work()
        }
    }
}
