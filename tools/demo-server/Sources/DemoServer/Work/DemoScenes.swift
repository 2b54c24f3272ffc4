internal import Jetsam
internal import NIOConcurrencyHelpers

/// Scenes that have something to save at each step down, and count what they are told.
final class DemoScenes: Sendable {
    private struct State {
        var connected = 0
        var calls: [String: Int] = [:]
    }

    private static let stateBytes = 1024
    private let count: Int
    private let log: EventLog
    private let state = NIOLockedValueBox(State())

    init(count: Int, log: EventLog) {
        self.count = count
        self.log = log
    }

    /// Connects them all, as if a client had come for each.
    func connect(to manager: ResourceManager) async {
        guard count > 0 else { return }
        for number in 0..<count {
            guard let identifier = SceneIdentifier("room-\(number)") else { continue }
            if await connect(identifier, to: manager) { state.withLockedValue { $0.connected += 1 } }
        }
        log.write("scenes-connected", [("count", .integer(state.withLockedValue { $0.connected }))])
    }

    private func connect(_ identifier: SceneIdentifier, to manager: ResourceManager) async -> Bool {
        while true {
            do throws(SceneRefusal) {
                _ = try await manager.scenes.connect(identifier, observer: Observer(scenes: self))
                return true
            } catch {
                // No scene becomes active before all observers of the process have heard that it did.
                guard error.isForProcessState, manager.isReady else { return false }
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    /// Writes what they were told into the timeline.
    func report() {
        guard count > 0 else { return }
        let (connected, calls) = state.withLockedValue { ($0.connected, $0.calls) }
        func number(_ call: String) -> (name: String, value: JSONValue) { (call, .integer(calls[call] ?? 0)) }
        log.write(
            "scenes",
            [("connected", .integer(connected)), number("resigned"), number("background"), number("terminated")])
    }

    private func note(_ call: String) {
        state.withLockedValue { $0.calls[call, default: 0] += 1 }
    }

    private struct Observer: SceneObserver {
        let scenes: DemoScenes

        func willResignActive(_ scene: ServerScene, _ transition: SceneTransition) async { scenes.note("resigned") }
        func didEnterBackground(_ scene: ServerScene, _ transition: SceneTransition) async { scenes.note("background") }
        func willTerminate(_ scene: ServerScene, _ transition: SceneTransition) async { scenes.note("terminated") }

        func encodeState(of scene: ServerScene) async throws -> SceneStateData? {
            SceneStateData(version: 1, bytes: [UInt8](repeating: 7, count: DemoScenes.stateBytes))
        }
    }
}
