import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// Tasks that are kept in collections, and handlers that are told which task they are for.
struct StoredBackgroundTaskTests {
    @Test("A task in an array is held until it is ended or taken out, and ending it twice does nothing")
    func stored() throws {
        let manual = ManualRegistry()
        var waiting: [StoredBackgroundTask] = []
        for _ in 0..<3 { waiting.append(try manual.registry.begin("upload").stored()) }
        #expect(manual.registry.heldCount == 3)
        waiting.removeLast()
        #expect(manual.registry.heldCount == 2)
        waiting[0].end()
        waiting[0].end()
        #expect(manual.registry.heldCount == 1)
        #expect(waiting[0].backgroundTimeRemaining == .zero && waiting[1].backgroundTimeRemaining == nil)
        waiting = []
        #expect(manual.registry.heldCount == 0)
    }

    @Test("A handler that takes its identifier can end its task, once")
    func identifierInHandler() {
        let manual = ManualRegistry()
        let registry = manual.registry
        let told = Lock<[BackgroundTaskIdentifier]>([])
        let task = registry.beginBackgroundTask(withName: "upload", expiry: .after(.seconds(10))) { identifier in
            told.withLock { $0.append(identifier) }
            registry.endBackgroundTask(identifier)
        }
        #expect(task != .invalid && registry.heldCount == 1)
        manual.advance(.seconds(10))
        #expect(told.withLock { $0 } == [task])
        #expect(registry.heldCount == 0)
        registry.noteLevel(.critical)
        #expect(registry.beginBackgroundTask(withName: "refused") { _ in } == .invalid)
    }
}
