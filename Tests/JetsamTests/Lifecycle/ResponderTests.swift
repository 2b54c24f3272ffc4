import JetsamTesting
import MemoryPressure
import ServiceLifecycle
import Testing

@testable import Jetsam

struct ResponderTests {
    /// Keeps the questions, to be answered when a test says so.
    private final class Loop: Sendable {
        private let state = Lock<(answers: [@Sendable () -> Void], isBlocked: Bool)>(([], false))
        let asked = Lock(0)

        func ask(_ answer: @escaping @Sendable () -> Void) {
            asked.withLock { $0 += 1 }
            let isBlocked = state.withLock { state in
                if state.isBlocked { state.answers.append(answer) }
                return state.isBlocked
            }
            if !isBlocked { answer() }
        }

        func block() { state.withLock { $0.isBlocked = true } }

        func unblock() {
            let answers = state.withLock { state in
                defer { state = ([], false) }
                return state.answers
            }
            for answer in answers { answer() }
        }
    }

    private func lines(_ fixture: LifecycleFixture, _ part: String) -> [String] {
        fixture.logs.lines.map(\.text).filter { $0.contains(part) }
    }

    @Test("Who does not answer within its deadline is named once, and again when it answers")
    func late() async throws {
        let fixture = try LifecycleFixture()
        let loop = Loop()
        try await fixture.run { fixture in
            fixture.manager.watchResponses(of: "loop", within: .seconds(2)) { loop.ask($0) }
            for _ in 0..<10 { fixture.machine.advance(by: .milliseconds(500)) }
            #expect((5...6).contains(loop.asked.withLock { $0 }), "half a deadline after each answer")
            #expect(fixture.logs.warnings == [])
            loop.block()
            fixture.machine.advance(by: .seconds(1))
            fixture.machine.advance(by: .milliseconds(1999))
            #expect(fixture.logs.warnings == [])
            for _ in 0..<8 { fixture.machine.advance(by: .milliseconds(500)) }
            #expect(fixture.logs.warnings.count == 1)
            #expect(fixture.logs.warnings.first?.contains("'loop' has not answered for ") == true)
            #expect(fixture.manager.status.process.missedDeadlines == 1)
            let asked = loop.asked.withLock { $0 }
            loop.unblock()
            #expect(lines(fixture, "'loop' answers again, after ").count == 1)
            fixture.machine.advance(by: .seconds(1))
            #expect(loop.asked.withLock { $0 } == asked + 1)
            #expect(fixture.exits.withLock { $0 } == [])
        }
    }

    @Test("With the policy to exit, a process that does not answer ends with the documented status")
    func exit() async throws {
        let fixture = try LifecycleFixture { $0.missedDeadline = .exit }
        let loop = Loop()
        loop.block()
        try await fixture.run { fixture in
            fixture.manager.watchResponses(of: "loop", within: .seconds(2)) { loop.ask($0) }
            fixture.machine.advance(by: .seconds(2))
            #expect(fixture.exits.withLock { $0 } == [75])
        }
    }

    @Test("A process that was stopped meanwhile has the whole time once more")
    func stopped() async throws {
        let fixture = try LifecycleFixture()
        let loop = Loop()
        loop.block()
        try await fixture.run { fixture in
            fixture.manager.watchResponses(of: "loop", within: .seconds(2)) { loop.ask($0) }
            fixture.machine.clock.advance(by: .seconds(60))
            fixture.machine.advance(by: .milliseconds(10))
            #expect(lines(fixture, "has not answered") == [])
            fixture.machine.advance(by: .seconds(2))
            #expect(lines(fixture, "has not answered").count == 1)
        }
    }

    @Test("Nobody is asked after it was cancelled, or after the process has ended", arguments: [true, false])
    func ended(isCancelled: Bool) async throws {
        let fixture = try LifecycleFixture()
        let loop = Loop()
        try await fixture.run { fixture in
            let observation = fixture.manager.watchResponses(of: "loop", within: .seconds(2)) { loop.ask($0) }
            loop.block()
            fixture.machine.advance(by: .seconds(1))
            if isCancelled { observation.cancel() }
        }
        let asked = loop.asked.withLock { $0 }
        loop.unblock()
        for _ in 0..<10 { fixture.machine.advance(by: .seconds(1)) }
        #expect(loop.asked.withLock { $0 } == asked)
        #expect(lines(fixture, "has not answered") == [])
    }

    @Test("The threads that run tasks answer")
    func tasks() async throws {
        let fixture = try LifecycleFixture()
        try await fixture.run { fixture in
            fixture.manager.watchResponsesOfTasks(within: .seconds(10))
            for round in 1...3 {
                let due = Double(round) * 5
                try await fixture.until("it has answered") { fixture.nextDeadline == due }
                fixture.machine.advance(by: .seconds(5))
            }
            #expect(fixture.logs.warnings == [])
        }
    }
}
