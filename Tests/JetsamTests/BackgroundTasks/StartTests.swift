import MemoryPressure
import TestSupport
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// Work that is begun now and done after an answer.
@Suite(.timeLimit(.minutes(1)))
struct StartTests {
    private struct Failure: Error {}

    @Test("The task is held from the call until the body returns")
    func held() async throws {
        let manual = ManualRegistry()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let work = try manual.registry.start("report", priority: .high) {
            for await _ in gate { break }
        }
        #expect(manual.registry.heldTasks().map(\.name) == ["report"])
        #expect(manual.registry.heldTasks().first?.origin.contains("StartTests.swift") == true)
        open.yield()
        try await work.value
        #expect(manual.registry.heldCount == 0 && manual.registry.statistics.ended == 1)
        #expect(manual.registry.table.takenSlots == 0)
    }

    @Test("An error of the body is the Swift task's, and the background task has ended")
    func failure() async throws {
        let manual = ManualRegistry()
        let work = try manual.registry.start("report") { throw Failure() }
        await #expect(throws: Failure.self) { try await work.value }
        #expect(manual.registry.heldCount == 0)
    }

    @Test("Where it is refused the body does not run")
    func refusal() async {
        let manual = ManualRegistry()
        manual.registry.noteLevel(.critical)
        #expect(throws: BackgroundTaskRefusal.self) {
            try manual.registry.start("report") { Issue.record("it runs") }
        }
        #expect(manual.registry.statistics.begun == 0)
    }

    @Test("Expiry cancels the body, then calls the handler")
    func expiry() async throws {
        let manual = ManualRegistry()
        let told = Lock(false)
        let work = try manual.registry.start(
            "report", expiry: .after(.seconds(10)), onExpiration: { told.withLock { $0 = true } }
        ) {
            await waitForCancellation()
            #expect(Task.isCancelled)
        }
        manual.advance(.seconds(9.6))
        try await work.value
        try await eventually("the handler is called") { told.withLock { $0 } }
        #expect(manual.registry.heldCount == 0 && manual.registry.statistics.overdue == 0)
    }

    @Test("A body that is cancelled by whoever has its Swift task ends the background task")
    func cancelled() async throws {
        let manual = ManualRegistry()
        let work = try manual.registry.start("report") { await waitForCancellation() }
        work.cancel()
        try await work.value
        #expect(manual.registry.heldCount == 0)
    }
}
