import JetsamSystem

/// A thread that does what it is told, and then waits, works on, or ends.
final class OtherThread: Sendable {
    private struct State {
        var job: (@Sendable () -> Void)?
        var works = false
        var ends = false
    }

    private let state = Lock(State())
    private let told = ParkingSpot()
    private let done = ParkingSpot()

    init() throws {
        try ServiceThread.start("other", loop)
    }

    /// Has it do something, and waits for that.
    func run(_ job: @escaping @Sendable () -> Void) {
        state.withLock { $0.job = job }
        told.signal()
        done.wait(for: nil)
    }

    /// From now on it allocates and frees a little every millisecond.
    func work() {
        state.withLock { $0.works = true }
        told.signal()
    }

    func end() {
        state.withLock { $0.ends = true }
        told.signal()
    }

    private func loop() {
        while true {
            let (works, ends) = state.withLock { ($0.works, $0.ends) }
            if ends { return }
            if !told.wait(for: works ? .milliseconds(1) : nil) {
                (0..<64).map { _ in Blocks.allocate() }.forEach(Blocks.free)
            }
            if let job = state.withLock({ state in
                defer { state.job = nil }
                return state.job
            }) {
                job()
                done.signal()
            }
        }
    }
}
