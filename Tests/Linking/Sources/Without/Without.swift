import Glibc
import Logging
import ServiceLifecycle

/// Stands for a server that has nothing to do.
struct Idle: Service {
    func run() async throws {
        print("ready")
        fflush(nil)
        try await gracefulShutdown()
    }
}

/// What `With` is compared to: a logger and a service group.
@main
enum Without {
    static func main() async throws {
        let group = ServiceGroup(services: [Idle()], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "idle"))
        try await group.run()
    }
}
