internal import ArgumentParser
internal import Logging
internal import ServiceLifecycle

/// What a mode brings with it: its cache, and what has to run beside the server.
struct MemoryManagement: Sendable {
    var cache: any ResponseCache
    var services: [any Service] = []
    var record = PressureRecord()
}

extension DemoServer {
    func memoryManagement(log: EventLog, logger: Logger) throws -> MemoryManagement {
        switch mode {
        case .unbounded: MemoryManagement(cache: UnboundedCache())
        case .fixed: MemoryManagement(cache: LRUCache(limit: budget.bytes))
        case .jetsam: throw ExitCode.failure
        }
    }
}
