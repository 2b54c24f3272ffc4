import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// What an expiration handler holds is let go of when its task ends, and under no lock; a registry lives as long as its tasks.
@Suite(.timeLimit(.minutes(1)))
struct BackgroundTaskLifetimeTests {
    /// Uses the registry when it is let go of, which would hang where a lock was held.
    private final class Captured: Sendable {
        let registry: BackgroundTaskRegistry
        let gone: Lock<Int>

        init(_ registry: BackgroundTaskRegistry, _ gone: Lock<Int>) {
            self.registry = registry
            self.gone = gone
        }

        deinit {
            gone.withLock { $0 += 1 }
            let task = registry.beginBackgroundTask(withName: "last", priority: .high, expiry: .after(.seconds(1)))
            _ = registry.heldTasks()
            registry.endBackgroundTask(task)
        }
    }

    enum Way: CaseIterable {
        case dropped
        case ended
        case endedByIdentifier
        case expired
        case endedWithScene
        case refused
    }

    @Test(
        "Whatever way a task goes, what its handler holds goes with it, and may use the registry",
        arguments: Way.allCases)
    func captured(way: Way) {
        let manual = ManualRegistry()
        let gone = Lock(0)
        let registry = manual.registry
        let scene: SceneIdentifier = "room"
        func begin() throws(BackgroundTaskRefusal) -> BackgroundTask {
            let captured = Captured(registry, gone)
            return try registry.begin("a", expiry: .after(.seconds(1)), scene: scene) {
                withExtendedLifetime(captured) {}
            }
        }
        if way == .refused {
            registry.noteLevel(.critical)
            #expect(throws: BackgroundTaskRefusal.self) { _ = try begin().intoIdentifier() }
            #expect(gone.withLock { $0 } == 1)
            return
        }
        guard var task = try? begin() else {
            Issue.record("it was refused")
            return
        }
        #expect(gone.withLock { $0 } == 0)
        switch way {
        case .ended: task.end()
        case .endedByIdentifier:
            registry.endBackgroundTask(task.intoIdentifier())
            task = try! registry.begin("another")
        case .expired: manual.advance(.seconds(1))
        case .endedWithScene: registry.endAll(of: scene)
        case .dropped, .refused: break
        }
        if way != .dropped { #expect(gone.withLock { $0 } == 1) }
        drop(task)
        #expect(gone.withLock { $0 } == 1)
        #expect(registry.table.takenSlots == 0)
    }

    private func drop(_ task: consuming BackgroundTask) {}

    @Test("A handle keeps its registry until it ends, and no longer", arguments: [false, true])
    func registry(endsByHand: Bool) throws {
        weak var registry: BackgroundTaskRegistry?
        var task = try {
            let made = BackgroundTaskRegistry(clock: ManualClock(), isAutomatic: false)
            registry = made
            return try made.begin("a", expiry: .after(.seconds(1)))
        }()
        #expect(registry?.heldCount == 1)
        if endsByHand {
            task.end()
            #expect(registry == nil)
        }
        drop(task)
        #expect(registry == nil)
    }

    @Test("A handle whose task was ended from outside keeps its registry until it is dropped")
    func endedFromOutside() throws {
        weak var registry: BackgroundTaskRegistry?
        let task = try {
            let made = BackgroundTaskRegistry(clock: ManualClock(), isAutomatic: false)
            registry = made
            let task = try made.begin("a", scene: "room")
            made.endAll(of: "room")
            return task
        }()
        #expect(registry?.heldCount == 0)
        #expect(task.backgroundTimeRemaining == .zero)
        // An identifier has nothing to keep the slot for.
        #expect(registry?.table.takenSlots == 1)
        _ = task.intoIdentifier()
        #expect(registry == nil)
    }

    @Test("Tasks that nobody ends do not keep a handler alive once it was called")
    func calledHandler() {
        let manual = ManualRegistry()
        let gone = Lock(0)
        do {
            let captured = Captured(manual.registry, gone)
            _ = manual.registry.beginBackgroundTask(expiry: .after(.seconds(1))) {
                withExtendedLifetime(captured) {}
            }
        }
        manual.advance(.seconds(1))
        #expect(gone.withLock { $0 } == 1)
        #expect(manual.registry.heldCount == 1)
    }
}
