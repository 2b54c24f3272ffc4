import ComparisonSupport
import NIOCore
import NIOPosix

/// SwiftNIO's cheapest timer, `scheduleCallback`, from outside the event loop; one loop for each of the threads, as many as
/// there are cores.
struct EventLoopCallback: Contender {
    private struct Handler: NIOScheduledCallbackHandler, Sendable {
        let word: Int

        func handleScheduledCallback(eventLoop: some EventLoop) {
            fired(word)
        }
    }

    static let endsInConstantTime = false

    private let loops: [any EventLoop]
    private let held: Slots<NIOScheduledCallback>
    private let slotsPerThread: Int

    init(slots: Int, threads: Int) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: min(threads, NIOCore.System.coreCount))
        loops = Array(group.makeIterator())
        held = Slots(count: slots)
        slotsPerThread = slots / threads
    }

    func begin(_ slot: Int, due: Int64, word: Int) {
        begin(slot, at: .uptimeNanoseconds(UInt64(due)), word: word)
    }

    func begin(_ slot: Int) {
        begin(slot, at: .now() + .seconds(30), word: slot)
    }

    private func begin(_ slot: Int, at deadline: NIODeadline, word: Int) {
        let loop = loops[slot / slotsPerThread % loops.count]
        guard let callback = try? loop.scheduleCallback(at: deadline, handler: Handler(word: word))
        else { stop("a callback could not be scheduled") }
        held.put(callback, slot)
    }

    func end(_ slot: Int) {
        held.remove(slot).cancel()
    }

    func settle() {
        for loop in loops { try? loop.submit {}.wait() }
    }
}
