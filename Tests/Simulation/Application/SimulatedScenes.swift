import Jetsam
import MemoryPressure

/// The scenes of one server: they connect, change their states, cost memory, and come back some time after they were lost.
final class SimulatedScenes: @unchecked Sendable {
    /// One scene; its observer too.
    final class Room: SceneObserver, @unchecked Sendable {
        let identifier: SceneIdentifier
        let priority: ResourcePriority
        let plannedBytes: Int
        let server: SimulatedServer
        fileprivate(set) var scene: ServerScene?
        /// What it costs at the moment, in bytes.
        fileprivate(set) var bytes = 0
        /// How long its callbacks take, in nanoseconds.
        fileprivate let callbackTime: Int64
        /// Whether it was told that it is lost.
        private var isTold = false
        /// The state that it was last seen in, and since when, in nanoseconds.
        fileprivate(set) var seen: (state: SceneState, since: Int64) = (.unattached, 0)

        init(
            _ identifier: SceneIdentifier, _ priority: ResourcePriority, bytes: Int, callbackTime: Int64,
            of server: SimulatedServer
        ) {
            self.identifier = identifier
            self.priority = priority
            plannedBytes = bytes
            self.callbackTime = callbackTime
            self.server = server
        }

        private func takeTime() async {
            if callbackTime > 0 { await server.world.conductor.pause(callbackTime) }
        }

        func willConnect(_ scene: ServerScene, restoring state: SceneStateData?) async throws {
            isTold = false
            await takeTime()
        }

        func didBecomeActive(_ scene: ServerScene, _ transition: SceneTransition) async { await takeTime() }
        func willResignActive(_ scene: ServerScene, _ transition: SceneTransition) async {
            note(transition)
            await takeTime()
        }

        func didEnterBackground(_ scene: ServerScene, _ transition: SceneTransition) async {
            note(transition)
            await takeTime()
        }

        func willTerminate(_ scene: ServerScene, _ transition: SceneTransition) async {
            note(transition)
            await takeTime()
        }

        /// Tells of the first notice of a loss.
        private func note(_ transition: SceneTransition) {
            guard transition.cause == .pressure, !isTold else { return }
            isTold = true
            server.note(.sceneTold(self))
        }
    }

    private let server: SimulatedServer
    private let manager: SceneManager
    private var random: SeededGenerator
    private(set) var rooms: [Room] = []
    private(set) var bytes = 0
    private var isOver = false

    private static let second: Int64 = 1_000_000_000

    init(_ manager: SceneManager, of server: SimulatedServer, seed: UInt64) {
        self.manager = manager
        self.server = server
        random = SeededGenerator(seed: seed)
    }

    private var conductor: Conductor { server.world.conductor }

    func start(count: Int, bytesEach: Int) {
        for number in 0..<count {
            guard let identifier = SceneIdentifier("room-\(number)") else { continue }
            let room = Room(
                identifier, random.pick([.low, .normal, .normal, .high]),
                bytes: random.bytes(in: bytesEach / 4...bytesEach),
                callbackTime: random.pick([0, 1_000_000, 50_000_000, 400_000_000]), of: server)
            rooms.append(room)
            conductor.after(random.nanoseconds(in: 0...20)) { [self] in connect(room) }
        }
    }

    func stop() {
        isOver = true
    }

    func drop() {
        isOver = true
        for room in rooms { room.bytes = 0 }
        bytes = 0
    }

    private func connect(_ room: Room) {
        guard !isOver else { return }
        let isClient = random.chance(0.5)
        Task { [self] in
            do {
                let scene = try await manager.connect(
                    room.identifier, by: isClient ? .client : .system, priority: room.priority, observer: room)
                guard !isOver else { return }
                room.scene = scene
                room.bytes = room.plannedBytes
                bytes += room.bytes
                server.world.recount()
                scene.declare(bytes: room.bytes)
                scheduleMove(room)
            } catch {
                scheduleReconnection(room)
            }
        }
    }

    private func scheduleReconnection(_ room: Room) {
        conductor.after(random.nanoseconds(in: 60...180)) { [self] in connect(room) }
    }

    private func scheduleMove(_ room: Room) {
        conductor.after(random.nanoseconds(in: 20...240)) { [self] in
            guard !isOver, let scene = room.scene else { return }
            let choice = random.next() % 4
            Task { [self] in
                switch choice {
                case 0: try? await scene.activate()
                case 1: try? await scene.deactivate()
                case 2: try? await scene.enterBackground()
                default: try? await scene.suspend()
                }
                if room.scene === scene { scheduleMove(room) }
            }
        }
    }

    /// Looks what has become of them: one that is suspended is lost without notice.
    func look() {
        for room in rooms {
            guard let scene = room.scene else { continue }
            let state = scene.sceneState
            if state != room.seen.state { room.seen = (state, conductor.now) }
            guard state == .disconnected else { continue }
            room.scene = nil
            bytes -= room.bytes
            room.bytes = 0
            server.world.recount()
            if !isOver { scheduleReconnection(room) }
        }
    }

    subscript(name: String) -> Room? { rooms.first { $0.identifier.text == name } }
}
