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
        begin(slot, deadline: DispatchTime(uptimeNanoseconds: UInt64(due)), word: word)
    }

    func begin(_ slot: Int) {
        begin(slot, deadline: .now() + .seconds(30), word: slot)
    }

    private func begin(_ slot: Int, deadline: DispatchTime, word: Int) {
        let timer = DispatchSource.makeTimerSource(queue: queues[slot / slotsPerQueue])
        timer.schedule(deadline: deadline)
        timer.setEventHandler { fired(word) }
        timer.activate()
        held.put(timer, slot)
    }

    func end(_ slot: Int) {
        held.remove(slot).cancel()
    }

    func settle() {
        for queue in queues { queue.sync {} }
    }
}
