import Dispatch
import MemoryPressure
import SystemPackage

@testable import Jetsam

/// The system's threads, of which one cannot be had, and those that have not ended are known.
final class CountedThreads: ThreadSource {
    private struct State {
        /// How many threads of each name were asked for.
        var asked: [String: Int] = [:]
        var live: [String] = []
    }

    private let threads = SystemThreads()
    private let lacking: (name: String, number: Int)?
    private let state = Lock(State())

    /// - Parameter lacking: The first, second, … thread of that name cannot be had; `doorbell` for what rings. Nil where all can.
    init(lacking: (name: String, number: Int)? = nil) {
        self.lacking = lacking
    }

    /// The names of the threads that have not ended.
    var live: [String] { state.withLock { $0.live } }

    private func ask(_ name: String) throws(Errno) {
        let number = state.withLock { state in
            state.asked[name, default: 0] += 1
            return state.asked[name]
        }
        if let lacking, lacking.name == name, lacking.number == number { throw .resourceTemporarilyUnavailable }
    }

    func start(_ name: String, stackBytes: Int, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        try ask(name)
        state.withLock { $0.live.append(name) }
        try threads.start(name, stackBytes: stackBytes) { [state] in
            body()
            state.withLock { state in
                if let index = state.live.firstIndex(of: name) { state.live.remove(at: index) }
            }
        }
    }

    func makeSpot() -> any WaitingSpot { threads.makeSpot() }

    func makeDoorbell(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) throws(Errno) -> any Ringing {
        try ask("doorbell")
        return try threads.makeDoorbell(queue: queue, handler: handler)
    }
}
