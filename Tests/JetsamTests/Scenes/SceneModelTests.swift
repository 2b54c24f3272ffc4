import JetsamTesting
import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam
@testable import JetsamPolicy

/// Random requests, checked against the plainest model of what scenes are.
struct SceneModelTests {
    private enum Request: CaseIterable {
        case connectByClient, connectBySystem, activate, deactivate, enterBackground, suspend, disconnect, lose
        case serve, warn, processDown, processUp, breakStore, mendStore
    }

    private struct Modelled {
        var state: SceneState
        var resumesTo: SceneState?
        var priority: ResourcePriority
        var age: Int
        var record: SceneRecord
    }

    private struct Model {
        var scenes: [SceneIdentifier: Modelled] = [:]
        var ceiling = SceneState.active
        var nextAge = 0
        var nextWarning = 1

        static let rank: [SceneState: Int] = [.suspended: 0, .background: 1, .inactive: 2, .active: 3]
        static let ladder: [SceneState] = [.suspended, .background, .inactive, .active]

        func allows(_ state: SceneState) -> Bool {
            Self.rank[state]! < 2 || Self.rank[state]! <= Self.rank[ceiling]!
        }
    }

    private let names: [SceneIdentifier] = ["a", "b", "c", "d", "e"]

    @Test("Scenes are where the model says, and each observer is called in a legal order", arguments: seedBatches)
    func model(seeds: ClosedRange<UInt64>) async throws {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let fixture = SceneFixture()
            var model = Model()
            var records: [SceneRecord] = []
            for step in 0..<60 {
                let request = Request.allCases.randomElement(using: &random)!
                let name = names.randomElement(using: &random)!
                let priority = [ResourcePriority.low, .normal].randomElement(using: &random)!
                let record = SceneRecord()
                records.append(record)
                await carryOut(request, name, priority, record, fixture, &model, "seed \(seed), step \(step)")
                let expected = model.scenes.mapValues(\.state)
                let found = Dictionary(
                    uniqueKeysWithValues: fixture.scenes.scenes.map { ($0.identifier, $0.sceneState) })
                #expect(found == expected, "seed \(seed), step \(step): \(request) \(name)")
                guard found == expected else { return }
            }
            // A process that ends instead of suspending does so from wherever it stands.
            if Bool.random(using: &random) {
                let end = fixture.clock.now.advanced(by: .seconds(1))
                await fixture.scenes.processGoesDown(to: .disconnected, isFinal: true, by: end)
                model.scenes = [:]
                #expect(fixture.scenes.scenes.isEmpty, "seed \(seed)")
                let late = try? await fixture.scenes.connect("late", by: .system, observer: SceneRecord())
                #expect(late == nil, "seed \(seed)")
            }
            let connected = Set(model.scenes.values.map { ObjectIdentifier($0.record) })
            for record in records {
                let isGone = record.calls.contains("willConnect") && !connected.contains(ObjectIdentifier(record))
                let farewells = record.calls.filter { ["willTerminate", "didDisconnect"].contains($0) }
                #expect(farewells.count == (isGone ? 1 : 0), "seed \(seed): \(record.calls)")
                #expect(SceneLegality.problem(record.calls) == nil, "seed \(seed)")
                #expect(!record.overlapped, "seed \(seed)")
                let sequences = record.transitions.map(\.sequence)
                #expect(zip(sequences, sequences.dropFirst()).allSatisfy(<), "seed \(seed)")
            }
            #expect(fixture.scenes.statistics.missedDeadlines == 0 && fixture.scenes.deadlines.count == 0)
        }
    }

    private func carryOut(
        _ request: Request, _ name: SceneIdentifier, _ priority: ResourcePriority, _ record: SceneRecord,
        _ fixture: SceneFixture, _ model: inout Model, _ place: String
    ) async {
        let end = fixture.clock.now.advanced(by: .seconds(1))
        switch request {
        case .connectByClient, .connectBySystem:
            let target: SceneState = request == .connectByClient ? .active : .background
            let isAllowed = model.scenes[name] == nil && model.allows(target)
            let scene = try? await fixture.scenes.connect(
                name, by: request == .connectByClient ? .client : .system, priority: priority, observer: record)
            #expect((scene != nil) == isAllowed, "\(place)")
            if isAllowed {
                model.nextAge += 1
                model.scenes[name] = Modelled(
                    state: target, priority: priority, age: model.nextAge, record: record)
            }
        case .serve:
            let isAllowed = model.allows(.active)
            let scene = try? await fixture.scenes.scene(for: name, priority: priority) { record }
            #expect((scene != nil) == isAllowed, "\(place)")
            guard isAllowed else { return }
            if model.scenes[name] == nil {
                model.nextAge += 1
                model.scenes[name] = Modelled(
                    state: .active, priority: priority, age: model.nextAge, record: record)
            }
            model.scenes[name]?.state = .active
            model.scenes[name]?.resumesTo = nil
        case .warn:
            let before = model.scenes.mapValues { $0.record.warnings }
            await fixture.scenes.warn(of: Self.warning(UInt64(model.nextWarning)))
            model.nextWarning += 1
            for (name, scene) in model.scenes {
                let isTold = scene.state != .suspended
                #expect(scene.record.warnings == before[name]! + (isTold ? 1 : 0), "\(place)")
            }
        case .activate: await change(name, .active, fixture, &model, place) { try await $0.activate() }
        case .deactivate: await change(name, .inactive, fixture, &model, place) { try await $0.deactivate() }
        case .enterBackground:
            await change(name, .background, fixture, &model, place) { try await $0.enterBackground() }
        case .suspend: await change(name, .suspended, fixture, &model, place) { try await $0.suspend() }
        case .disconnect:
            try? await fixture.scenes[name]?.disconnect()
            model.scenes[name] = nil
        case .lose:
            let loss = await fixture.scenes.loseNext(reason: "test")
            let expected = model.scenes.min { first, second in key(first.value) < key(second.value) }
            // Which are unsaved is the store's matter: with a broken one only the number is looked at.
            if fixture.scenes.canSave { #expect(loss?.scene == expected?.key, "\(place)") }
            #expect((loss == nil) == model.scenes.isEmpty, "\(place)")
            if let loss { model.scenes[loss.scene] = nil }
        case .processDown:
            guard let index = Model.ladder.firstIndex(of: model.ceiling), index > 0 else { return }
            let target = Model.ladder[index - 1]
            await fixture.scenes.processGoesDown(to: target, isFinal: false, by: end)
            model.ceiling = target
            for (name, scene) in model.scenes where Model.rank[scene.state]! > index - 1 {
                model.scenes[name]!.resumesTo = scene.resumesTo ?? scene.state
                model.scenes[name]!.state = target
            }
        case .processUp:
            guard let index = Model.ladder.firstIndex(of: model.ceiling), index < 3 else { return }
            let target = Model.ladder[index + 1]
            await fixture.scenes.processCameUp(to: target, by: end)
            model.ceiling = target
            for (name, scene) in model.scenes {
                guard let resumesTo = scene.resumesTo else { continue }
                let reach = min(Model.rank[resumesTo]!, index + 1)
                if reach > Model.rank[scene.state]! { model.scenes[name]!.state = Model.ladder[reach] }
                if reach == Model.rank[resumesTo] { model.scenes[name]!.resumesTo = nil }
            }
        case .breakStore: fixture.store.fail(with: .system(.noSpace, doing: "writing the file"))
        case .mendStore:
            fixture.store.fail(with: nil)
            await fixture.scenes.stateStoreBecame(available: true)
        }
    }

    private static func warning(_ sequence: UInt64) -> LevelChange {
        let reason = LevelReason(rule: .external, observed: 0, threshold: 0, unit: .none, cause: .request)
        return LevelChange(
            sequence: sequence, previous: .normal, level: .warning, reason: reason, instant: .seconds(0),
            headroomBytes: 0)
    }

    private func key(_ scene: Modelled) -> (Int, UInt8, Int) {
        (Model.rank[scene.state]!, scene.priority.rawValue, scene.age)
    }

    private func change(
        _ name: SceneIdentifier, _ target: SceneState, _ fixture: SceneFixture, _ model: inout Model, _ place: String,
        _ body: (ServerScene) async throws -> Void
    ) async {
        guard let scene = fixture.scenes[name] else { return }
        let isDone = (try? await body(scene)) != nil
        #expect(isDone == model.allows(target), "\(place)")
        if isDone {
            model.scenes[name]?.state = target
            model.scenes[name]?.resumesTo = nil
        }
    }

    @Test("A scene that waits for its turn to connect is warned of nothing before that")
    func unattached() async throws {
        let fixture = SceneFixture()
        let record = SceneRecord()
        let scene = try fixture.scenes.enter(
            SceneConnection(identifier: "a", origin: .system, observer: record))
        await fixture.scenes.warn(of: Self.warning(1))
        #expect(record.calls.isEmpty)
        await scene.turn.acquire()
        try await scene.attach(SceneConnection(identifier: "a", origin: .system, observer: record))
        scene.turn.release()
        await fixture.scenes.warn(of: Self.warning(2))
        #expect(record.warnings == 1)
        try await scene.disconnect()
    }

    @Test("Requests from many tasks at once are carried out one after another for each scene")
    func concurrent() async throws {
        let fixture = SceneFixture()
        let records = Lock<[SceneRecord]>([])
        let names = names
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(task))
                    for _ in 0..<150 {
                        let name = names.randomElement(using: &random)!
                        let end = fixture.clock.now.advanced(by: .seconds(1))
                        switch Int.random(in: 0..<14, using: &random) {
                        case 0...2:
                            let record = SceneRecord { _, _ in await Task.yield() }
                            records.withLock { $0.append(record) }
                            _ = try? await fixture.scenes.connect(
                                name, by: Bool.random(using: &random) ? .client : .system, observer: record)
                        case 3: try? await fixture.scenes[name]?.activate()
                        case 4: try? await fixture.scenes[name]?.deactivate()
                        case 5: try? await fixture.scenes[name]?.enterBackground()
                        case 6: try? await fixture.scenes[name]?.suspend()
                        case 7: try? await fixture.scenes[name]?.disconnect()
                        case 8: _ = await fixture.scenes.loseNext(reason: "test")
                        case 9: await fixture.scenes.processGoesDown(to: .background, isFinal: false, by: end)
                        case 12: await fixture.scenes.warn(of: Self.warning(UInt64.random(in: 1...9, using: &random)))
                        case 13:
                            let record = SceneRecord { _, _ in await Task.yield() }
                            records.withLock { $0.append(record) }
                            _ = try? await fixture.scenes.scene(for: name) { record }
                        case 10: await fixture.scenes.processCameUp(to: .active, by: end)
                        default: try? await fixture.scenes.handOff(name) { _ in await Task.yield() }
                        }
                    }
                }
            }
        }
        for record in records.withLock({ $0 }) {
            #expect(SceneLegality.problem(record.calls) == nil)
            #expect(!record.overlapped)
        }
        let scenes = fixture.scenes.scenes
        #expect(scenes.allSatisfy { $0.sceneState != .unattached && $0.sceneState != .disconnected })
        for scene in scenes { try await scene.disconnect() }
        #expect(fixture.scenes.scenes.isEmpty && fixture.scenes.deadlines.count == 0)
    }
}
