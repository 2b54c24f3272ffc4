import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// A process that goes through random states, modes and tasks, beside the plainest model of its time in the background.
struct BackgroundTimeModelTests {
    private enum Request: CaseIterable {
        case becomeActive, resignActive, enterBackground, suspend, beginMode, endMode, beginTask, endTask, wait,
            waitLong
    }

    private struct Model {
        var state = ProcessState.active
        var hasMode = false
        /// How many seconds of the time in the background have passed.
        var passed = 0
        var isCounting: Bool { state == .background && !hasMode }

        /// - Parameter held: How many tasks have not ended.
        mutating func advance(seconds: Int, held: Int) {
            guard isCounting else { return }
            passed += seconds
            // What is held becomes overdue two seconds after the limit.
            if passed >= (held > 0 ? limit + 3 : limit) { state = .suspended }
        }
    }

    private static let limit = 30

    @Test("The process is where the model says, with the time that the model says", arguments: seedBatches)
    func model(seeds: ClosedRange<UInt64>) async throws {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let plan = (0..<30).map { _ in Request.allCases.randomElement(using: &random)! }
            try await walk(plan, "seed \(seed)")
        }
    }

    private func walk(_ plan: [Request], _ place: String) async throws {
        let fixture = try LifecycleFixture { $0.backgroundTimeLimit = .seconds(Self.limit) }
        try await fixture.run { fixture in
            let manager = fixture.manager
            var model = Model()
            var mode: BackgroundMode?
            var tasks: [BackgroundTaskIdentifier] = []
            for (number, request) in plan.enumerated() {
                let before = model.state
                switch request {
                case .becomeActive:
                    try await manager.becomeActive()
                    model.state = .active
                case .resignActive where model.state == .active:
                    try await manager.resignActive()
                    model.state = .inactive
                case .enterBackground:
                    try await manager.enterBackground()
                    model.state = .background
                case .suspend where tasks.isEmpty:
                    try await manager.suspend()
                    model.state = .suspended
                case .beginMode:
                    if mode == nil { mode = manager.beginBackgroundMode("mode") }
                    model.hasMode = true
                case .endMode:
                    mode?.end()
                    mode = nil
                    if model.hasMode { model.passed = 0 }
                    model.hasMode = false
                case .beginTask:
                    tasks.append(fixture.tasks.beginBackgroundTask(withName: "task"))
                    if model.state == .suspended {
                        try await wake(fixture)
                        model.state = .background
                    }
                case .endTask:
                    if let task = tasks.popLast() { fixture.tasks.endBackgroundTask(task) }
                case .wait, .waitLong:
                    let seconds = request == .wait ? 5 : 40
                    fixture.machine.advance(by: .seconds(seconds))
                    // Who was let go of may be overdue: it holds nothing, like one that has ended.
                    model.advance(seconds: seconds, held: fixture.tasks.heldCount)
                default: break
                }
                if model.state == .background, before != .background { model.passed = 0 }
                let expected = model
                let what: Comment = "\(place), step \(number): after \(request) it is \(expected.state)"
                try await fixture.until(what) { manager.processState == expected.state }
                await fixture.settle()
                #expect(manager.processState == expected.state, what)
                guard manager.processState == expected.state else { return }
                let left = manager.backgroundTimeRemaining
                #expect((left != nil) == model.isCounting, what)
                if let left {
                    let modelled = Duration.seconds(max(0, Self.limit - model.passed))
                    #expect(left <= modelled + .seconds(1) && left >= modelled - .seconds(1), what)
                }
            }
            for task in tasks { fixture.tasks.endBackgroundTask(task) }
            _ = mode
        }
    }

    /// In small steps, so that the time in the background begins close to where the model has it begin.
    private func wake(_ fixture: LifecycleFixture) async throws {
        for _ in 0..<40 where fixture.manager.processState == .suspended {
            fixture.machine.advance(by: .milliseconds(100))
            await fixture.settle()
        }
    }
}
