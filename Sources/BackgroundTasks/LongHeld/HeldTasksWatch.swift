internal import JetsamSystem
internal import Synchronization

/// Says when the names of what is held may be others than those that were recorded last. The sampler asks it, and it takes no lock.
package final class HeldTasksWatch: Sendable {
    /// Returns the time between two looks for new names, in nanoseconds. Each look walks through all tasks.
    package static func interval(among tasks: Int) -> Int64 { tasks > 5000 ? 10_000_000_000 : 1_000_000_000 }

    private let tasks: BackgroundTaskRegistry
    private let last = Atomic<Int64>(.min)
    private let count = Atomic<Int>(0)

    package init(tasks: BackgroundTaskRegistry) {
        self.tasks = tasks
    }

    /// At most once a second, and less often where there are many.
    package func isDue(at now: MonotonicInstant) -> Bool {
        let before = count.load(ordering: .relaxed)
        let last = last.load(ordering: .relaxed)
        guard last == .min || now.nanoseconds - last >= Self.interval(among: before) else { return false }
        let held = tasks.heldCount
        // None before and none now is what an idle server looks like: it is left to sleep.
        guard held > 0 || before > 0 else { return false }
        count.store(held, ordering: .relaxed)
        self.last.store(now.nanoseconds, ordering: .relaxed)
        return true
    }
}
