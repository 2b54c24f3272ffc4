import Jetsam
import MemoryPressure

/// The background tasks of one server: they begin, end, expire, and cost memory while they are held.
final class SimulatedTasks: @unchecked Sendable {
    /// One background task.
    final class Work: @unchecked Sendable {
        let number: Int
        let priority: ResourcePriority
        let bytes: Int
        /// When it began, in nanoseconds.
        let began: Int64
        /// When it expires if it was not ended, in nanoseconds; nil where only the end of the process expires it.
        let due: Int64?
        private(set) var expirations = 0
        fileprivate(set) var hasEnded = false
        fileprivate var identifier = BackgroundTaskIdentifier.invalid

        init(_ number: Int, _ priority: ResourcePriority, bytes: Int, began: Int64, due: Int64?) {
            self.number = number
            self.priority = priority
            self.bytes = bytes
            self.began = began
            self.due = due
        }

        var wasTold: Bool { expirations > 0 }

        /// Its expiration handler is called.
        func expire() {
            expirations += 1
        }
    }

    private let server: SimulatedServer
    private let registry: BackgroundTaskRegistry
    private var random: SeededGenerator
    private var begun = 0
    /// Those that have not ended, in the order in which they began.
    private(set) var held: [Work] = []
    /// What held ones cost, in bytes.
    private(set) var bytes = 0
    private var isOver = false

    private static let second: Int64 = 1_000_000_000

    init(of server: SimulatedServer, registry: BackgroundTaskRegistry, seed: UInt64) {
        self.server = server
        self.registry = registry
        random = SeededGenerator(seed: seed)
    }

    private var conductor: Conductor { server.world.conductor }

    func start() {
        scheduleNext()
    }

    /// Nothing begins any more.
    func stop() {
        isOver = true
    }

    /// The process is gone, and with it all its tasks.
    func drop() {
        isOver = true
        bytes = 0
        for work in held { end(work) }
    }

    private func scheduleNext() {
        conductor.after(random.nanoseconds(in: 1...20)) { [self] in
            guard !isOver else { return }
            begin()
            scheduleNext()
        }
    }

    private func begin() {
        let priority: ResourcePriority = random.pick([.low, .low, .normal, .high])
        let lifetime = random.chance(0.6) ? random.nanoseconds(in: 3...120) : nil
        let now = conductor.now
        begun += 1
        let work = Work(
            begun, priority, bytes: random.bytes(in: 0...(2 << 20)), began: now, due: lifetime.map { now + $0 })
        let identifier = registry.beginBackgroundTask(
            withName: nil, priority: priority, expiry: lifetime.map { .after(.nanoseconds($0)) } ?? .atTermination
        ) { [self] in
            expired(work)
        }
        let endsAfter = random.nanoseconds(in: 1...60)
        let endsByItself = random.chance(0.85)
        guard identifier != .invalid else { return }
        work.identifier = identifier
        hold(work)
        guard endsByItself else { return }
        conductor.after(endsAfter) { [self] in end(work) }
    }

    func hold(_ work: Work) {
        held.append(work)
        bytes += work.bytes
        server.world.recount()
        server.note(.taskBegan(work))
    }

    /// The expiration handler. Most end their work within a second; some go on for long.
    private func expired(_ work: Work) {
        work.expire()
        server.note(.taskExpired(work))
        let time = random.chance(0.9) ? random.nanoseconds(in: 0...1) : random.nanoseconds(in: 1...15)
        conductor.after(time) { [self] in end(work) }
    }

    private func end(_ work: Work) {
        guard !work.hasEnded else { return }
        work.hasEnded = true
        registry.endBackgroundTask(work.identifier)
        held.removeAll { $0 === work }
        if !isOver || bytes > 0 { bytes = max(0, bytes - work.bytes) }
        server.world.recount()
        server.note(.taskEnded(work))
    }
}
