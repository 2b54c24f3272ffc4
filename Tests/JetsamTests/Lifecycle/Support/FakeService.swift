import MemoryPressure
import ServiceLifecycle

/// What happened in a group, in order.
final class GroupRecord: Sendable {
    private let lines = Lock<[String]>([])

    var events: [String] { lines.withLock { $0 } }

    func note(_ event: String) { lines.withLock { $0.append(event) } }
}

/// A service of a group that runs until it is told to stop.
final class FakeService: Service {
    private let name: String
    private let record: GroupRecord
    private let onStop: @Sendable () async -> Void

    /// - Parameter onStop: Runs between being told and returning: what it still has to finish.
    init(_ name: String, in record: GroupRecord, onStop: @escaping @Sendable () async -> Void = {}) {
        self.name = name
        self.record = record
        self.onStop = onStop
    }

    func run() async throws {
        record.note("\(name) runs")
        try? await gracefulShutdown()
        record.note("\(name) is told")
        await onStop()
        record.note("\(name) ended")
    }

    var isOpen: Bool { record.events.contains("\(name) runs") && !record.events.contains("\(name) ended") }
}
