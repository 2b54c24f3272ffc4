import JetsamTesting
import MemoryPressure
import Testing

@testable import Jetsam

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Cancelling what is late runs code of the application's, which may block: not where the deadlines are looked after.
struct CancellationThreadTests {
    /// Notes whether it is called on the thread that is firing deadlines.
    private final class Witness: Sendable {
        private let firing = Lock<pthread_t?>(nil)
        let wasThere = Lock<[Bool]>([])
        let gate = Gate()

        /// Fires deadlines, on this thread.
        func fire(_ body: () -> Void) {
            firing.withLock { $0 = pthread_self() }
            body()
            firing.withLock { $0 = nil }
        }

        /// Stays until it is cancelled.
        func stay() async {
            let spot = SlowSpot()
            await withTaskCancellationHandler {
                await spot.stay()
            } onCancel: {
                let isThere = firing.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
                wasThere.withLock { $0.append(isThere) }
                spot.open()
                gate.arrive()
            }
        }
    }

    @Test("A scene's late callback is cancelled on another thread than the deadlines'")
    func scene() async throws {
        let fixture = SceneFixture()
        let witness = Witness()
        let isThere = Gate()
        let record = SceneRecord { name, _ in
            guard name == "didEnterBackground" else { return }
            isThere.arrive()
            await witness.stay()
        }
        let scene = try await fixture.scenes.connect("a", observer: record)
        let change = Task { try await scene.enterBackground() }
        await isThere.waitForArrivals(1)
        fixture.clock.advance(by: .seconds(5))
        witness.fire { fixture.scenes.deadlines.fireDue() }
        await witness.gate.waitForArrivals(1)
        try await change.value
        #expect(witness.wasThere.withLock { $0 } == [false])
    }

    @Test("An observer's late call is cancelled on another thread than the deadlines'")
    func observer() async throws {
        let fixture = try LifecycleFixture()
        let witness = Witness()
        fixture.record.on("willResignActive") { await witness.stay() }
        try await fixture.run { fixture in
            let change = Task { try await fixture.manager.resignActive() }
            await fixture.record.heard("willResignActive")
            try await fixture.until("it is waited for") { fixture.nextDeadline == 5 }
            witness.fire { fixture.machine.advance(by: .seconds(5)) }
            await witness.gate.waitForArrivals(1)
            try await change.value
        }
        #expect(witness.wasThere.withLock { $0 } == [false])
    }
}
