import Dispatch

/// A `DispatchSourceTimer` each, on one serial queue a thread.
struct DispatchTimer: Contender {
    private let queues: [DispatchQueue]
    private let held: Slots<any DispatchSourceTimer>
    private let slotsPerQueue: Int

    init(slots: Int, threads: Int) {
        queues = (0..<threads).map { DispatchQueue(label: "timers.\($0)") }
        held = Slots(count: slots)
        slotsPerQueue = slots / threads
    }

    func begin(_ slot: Int, due: Int64, word: Int) {
        let timer = DispatchSource.makeTimerSource(queue: queues[slot / slotsPerQueue])
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: UInt64(due)))
        timer.setEventHandler { fired(word) }
        timer.activate()
        held.put(timer, slot)
    }

    func end(_ slot: Int) {
        held.take(slot).cancel()
    }

    func settle() {
        for queue in queues { queue.sync {} }
    }
}
