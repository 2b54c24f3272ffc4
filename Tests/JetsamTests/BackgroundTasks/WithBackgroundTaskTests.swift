import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

@Suite(.timeLimit(.minutes(1)))
struct WithBackgroundTaskTests {
    private struct Failure: Error, Equatable {
        var number: Int
    }

    @Test("The task is held while the body runs, and what that returns comes back")
    func result() async throws {
        let manual = ManualRegistry()
        let registry = manual.registry
        let result = try await registry.withBackgroundTask("count") {
            #expect(registry.heldCount == 1)
            #expect(registry.heldTasks().map(\.name) == ["count"])
            return 42
        }
        #expect(result == 42)
        #expect(registry.heldCount == 0)
        #expect(registry.statistics.ended == 1)
        #expect(registry.table.takenSlots == 0)
    }

    @Test("A body may return nothing, and nil")
    func optionalResult() async throws {
        let manual = ManualRegistry()
        try await manual.registry.withBackgroundTask("nothing") {}
        let result: Int? = try await manual.registry.withBackgroundTask("nil") { nil }
        #expect(result == nil)
        #expect(manual.registry.statistics.ended == 2)
    }

    @Test("What the body throws comes back, and the task has ended")
    func failure() async {
        let manual = ManualRegistry()
        await #expect(throws: Failure(number: 7)) {
            try await manual.registry.withBackgroundTask("fails") { throw Failure(number: 7) }
        }
        #expect(manual.registry.heldCount == 0)
        #expect(manual.registry.statistics.ended == 1)
    }

    @Test("Where it is refused the body does not run")
    func refusal() async {
        let manual = ManualRegistry()
        manual.registry.noteLevel(.critical)
        let hasRun = Lock(false)
        let refusal = BackgroundTaskRefusal(reason: .pressure(.critical), priority: .normal, minimumPriority: .high)
        await #expect(throws: refusal) {
            try await manual.registry.withBackgroundTask("refused") { hasRun.withLock { $0 = true } }
        }
        #expect(!hasRun.withLock { $0 })
        #expect(manual.registry.statistics.refused == 1)
        #expect(manual.registry.statistics.begun == 0)
    }

    @Test("Expiry calls the handler, then cancels the body and not the caller; a late result comes back all the same")
    func expiry() async throws {
        let manual = ManualRegistry()
        let gate = Gate()
        let events = Lock<[String]>([])
        let caller = Task {
            let result = try await manual.registry.withBackgroundTask("slow", expiry: .after(.seconds(10))) {
                events.withLock { $0.append(Task.isCancelled ? "handler's task is cancelled" : "told") }
            } body: {
                gate.arrive()
                await waitForCancellation()
                events.withLock { $0.append(Task.isCancelled ? "cancelled" : "not cancelled") }
                return "late"
            }
            events.withLock { $0.append(Task.isCancelled ? "caller cancelled" : "caller goes on") }
            return result
        }
        await gate.waitForArrivals(1)
        manual.advance(.seconds(9.5) - .nanoseconds(1))
        #expect(events.withLock { $0.isEmpty })
        manual.advance(.milliseconds(2))
        #expect(try await caller.value == "late")
        #expect(events.withLock { $0 } == ["told", "cancelled", "caller goes on"])
        #expect(manual.registry.statistics.ended == 1)
        #expect(manual.registry.statistics.expired == 1)
    }

    @Test("A body that does not heed its cancellation is overdue after its grace, and its result still comes back")
    func deafBody() async throws {
        let manual = ManualRegistry()
        let gate = Gate()
        let (goOn, end) = AsyncStream<Void>.makeStream()
        let caller = Task {
            try await manual.registry.withBackgroundTask("deaf", expiry: .after(.seconds(1))) {
                // A task of its own hears of nobody's cancellation.
                await Task {
                    gate.arrive()
                    for await _ in goOn {}
                }.value
                return 1
            }
        }
        await gate.waitForArrivals(1)
        manual.advance(.seconds(3) + .milliseconds(2))
        manual.advance(.seconds(3))
        #expect(manual.registry.statistics.overdueNow == 1)
        #expect(manual.registry.heldTasks().map(\.state.isOverdue) == [true])
        end.finish()
        #expect(try await caller.value == 1)
        #expect(manual.registry.statistics.overdueNow == 0)
        #expect(manual.registry.statistics.ended == 1)
    }

    @Test("The caller's cancellation reaches the body, and the handler is not called")
    func callerIsCancelled() async throws {
        let manual = ManualRegistry()
        let gate = Gate()
        let wasTold = Lock(false)
        let caller = Task {
            try await manual.registry.withBackgroundTask("given up", expiry: .after(.seconds(5))) {
                wasTold.withLock { $0 = true }
            } body: {
                gate.arrive()
                await waitForCancellation()
                return Task.isCancelled
            }
        }
        await gate.waitForArrivals(1)
        caller.cancel()
        #expect(try await caller.value)
        manual.advance(.seconds(10))
        #expect(!wasTold.withLock { $0 })
        #expect(manual.registry.heldCount == 0)
    }

    @Test("A caller that is cancelled already has its body run, cancelled from the start")
    func cancelledBefore() async throws {
        let manual = ManualRegistry()
        let caller = Task {
            await waitForCancellation()
            return try await manual.registry.withBackgroundTask("late") { Task.isCancelled }
        }
        caller.cancel()
        #expect(try await caller.value)
        #expect(manual.registry.statistics.ended == 1)
    }

    @Test("Of nested ones the inner expires alone, and the outer goes on; or both, each once")
    func nested() async throws {
        let manual = ManualRegistry()
        let gate = Gate()
        let registry = manual.registry
        let caller = Task {
            try await registry.withBackgroundTask("outer", expiry: .after(.seconds(100))) {
                let inner = try await registry.withBackgroundTask("inner", expiry: .after(.seconds(1))) {
                    gate.arrive()
                    await waitForCancellation()
                    return Task.isCancelled
                }
                #expect(inner)
                #expect(!Task.isCancelled)
                gate.arrive()
                await waitForCancellation()
                return registry.heldTasks().map(\.name)
            }
        }
        await gate.waitForArrivals(1)
        #expect(registry.heldCount == 2)
        manual.advance(.seconds(1))
        await gate.waitForArrivals(2)
        #expect(registry.heldTasks().map(\.name) == ["outer"])
        #expect(registry.statistics.expired == 1)
        manual.advance(.seconds(100))
        #expect(try await caller.value == ["outer"])
        #expect(registry.statistics.expired == 2)
        #expect(registry.heldCount == 0)
    }

    @Test("Overlapping ones in one task are independent of each other")
    func overlapping() async throws {
        let manual = ManualRegistry()
        let gate = Gate()
        let registry = manual.registry
        async let first = registry.withBackgroundTask("first", expiry: .after(.seconds(1))) {
            gate.arrive()
            await waitForCancellation()
            return Task.isCancelled
        }
        async let second = registry.withBackgroundTask("second", expiry: .after(.seconds(50))) {
            gate.arrive()
            await waitForCancellation()
            return Task.isCancelled
        }
        await gate.waitForArrivals(2)
        manual.advance(.seconds(1))
        #expect(try await first)
        #expect(registry.heldTasks().map(\.name) == ["second"])
        manual.advance(.seconds(50))
        #expect(try await second)
        #expect(registry.statistics.ended == 2)
    }

    @Test("The free function uses the registry of the process")
    func shared() async throws {
        let isHeld = try await withBackgroundTask("of the process") {
            BackgroundTaskRegistry.shared.heldTasks().contains { $0.name == "of the process" }
        }
        #expect(isHeld)
        #expect(!BackgroundTaskRegistry.shared.heldTasks().contains { $0.name == "of the process" })
    }
}
