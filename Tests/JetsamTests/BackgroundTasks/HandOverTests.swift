import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// Work that goes from one background task to the next without a gap.
struct HandOverTests {
    @Test("Where each task begins before the one ahead of it ends, nobody ever sees none held")
    func neverNone() async throws {
        let registry = BackgroundTaskRegistry()
        let isDone = Lock(false)
        let relay = Task.detached {
            var current = try registry.begin("relay").intoIdentifier()
            for step in 0..<20_000 {
                // The runtime moves this between threads, and so between the parts of the table.
                if step % 16 == 0 { await Task.yield() }
                let next = try registry.begin("relay").intoIdentifier()
                registry.endBackgroundTask(current)
                current = next
            }
            isDone.withLock { $0 = true }
            return current
        }
        while registry.statistics.begun == 0 { await Task.yield() }
        var looks = 0
        while !isDone.withLock({ $0 }) {
            #expect(registry.heldCount > 0)
            looks += 1
            if looks % 16 == 0 { await Task.yield() }
        }
        let last = try await relay.value
        #expect(registry.heldCount == 1)
        registry.endBackgroundTask(last)
        #expect(registry.heldCount == 0)
    }

    @Test("A scene is forgotten with its last task, and one that is begun for it later belongs to it again")
    func scenes() throws {
        let registry = BackgroundTaskRegistry()
        for round in 0..<100 {
            let scene = try #require(SceneIdentifier("scene \(round)"))
            var first = try registry.begin("first", scene: scene)
            var second = try registry.begin("second", scene: scene)
            #expect(registry.heldCount(of: scene) == 2)
            registry.endAll(of: scene)
            #expect(registry.heldCount == 0)
            let third = try registry.begin("third", scene: scene).intoIdentifier()
            #expect(registry.heldTasks().first?.scene == scene)
            first.end()
            second.end()
            registry.endBackgroundTask(third)
            #expect(registry.table.scenes.known(scene) == nil)
        }
    }
}
