import Glibc
import Jetsam
import Logging
import ServiceLifecycle

/// Stands for a server that has nothing to do.
struct Idle: Service {
    let manager: ResourceManager

    func run() async throws {
        manager.didStartServing()
        print("ready")
        fflush(nil)
        try await gracefulShutdown()
    }
}

/// The same as `Without`, with a manager at its defaults.
@main
enum With {
    static func main() async throws {
        let manager = try ResourceManager(logger: Logger(label: "idle"))
        var configuration = manager.serviceGroupConfiguration(servers: [Idle(manager: manager)])
        configuration.gracefulShutdownSignals = [.sigterm]
        try await ServiceGroup(configuration: configuration).run()
    }
}
