import BackgroundTasks

/// A library's own use of background tasks: nothing else of Jetsam is there.
@main
enum Tasks {
    static func main() async throws {
        let registry = BackgroundTaskRegistry()
        let held = try await registry.withBackgroundTask("upload", expiry: .after(.seconds(30))) {
            registry.statistics.held
        }
        print(held, registry.statistics.held, registry.statistics.begun)
    }
}
