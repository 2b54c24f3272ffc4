import ComparisonSupport

/// A task each that sleeps until the deadline, and is cancelled.
struct TaskSleep: Contender {
    private let held: Slots<Task<Void, Never>>
    private let begun = Counter()
    private let started = Counter()
    private let ended = Counter()
    private let finished = Counter()

    init(slots: Int, threads: Int) {
        held = Slots(count: slots)
    }

    func begin(_ slot: Int, due: Int64, word: Int) {
        begun.increment()
        held.put(
            Task { [started, finished] in
                started.increment()
                // This clock runs as CLOCK_MONOTONIC does, where the suspending one is not adjusted. Read last: what
                // comes between makes the deadline later, never earlier.
                let clock = ContinuousClock()
                let left = due - monotonicNanoseconds()
                let deadline = clock.now.advanced(by: .nanoseconds(left))
                if (try? await Task.sleep(until: deadline, clock: clock)) != nil { fired(word) }
                finished.increment()
            }, slot)
    }

    func begin(_ slot: Int) {
        begun.increment()
        held.put(
            Task { [started, finished] in
                started.increment()
                if (try? await Task.sleep(for: .seconds(30))) != nil { fired(slot) }
                finished.increment()
            }, slot)
    }

    func end(_ slot: Int) {
        ended.increment()
        held.remove(slot).cancel()
    }

    func settle() {
        while started.value < begun.value || finished.value < ended.value { pause(nanoseconds: 20_000) }
    }
}
