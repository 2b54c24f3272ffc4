import Jetsam
import MemoryPressure

/// Other servers in the same cgroup, each with a cache that fills and gives by what it sees of the limit.
final class NeighbourServers {
    private struct Other {
        var bytes: Int
        var wanted: Int
    }

    private let world: World
    private var others: [Other]
    private var isOver = false

    /// How often they look, in nanoseconds.
    private static let interval: Int64 = 500_000_000

    /// - Parameter bytes: What each wants to hold, in bytes.
    init(count: Int, bytes: Int, in world: World) {
        self.world = world
        others = (0..<count).map { _ in Other(bytes: 0, wanted: bytes) }
        world.cgroup.neighbourCount += count
        look()
    }

    func end() {
        isOver = true
        for other in others { world.cgroup.neighbourBytes -= other.bytes }
        world.cgroup.neighbourCount -= others.count
        others = []
    }

    private func look() {
        guard !isOver else { return }
        let cgroup = world.cgroup
        for index in others.indices {
            let share = Double(cgroup.headroomBytes) / Double(cgroup.limitBytes)
            let change =
                share < 0.2
                ? -others[index].bytes / 5
                : share > 0.25 ? min(20 << 20, others[index].wanted - others[index].bytes) : 0
            others[index].bytes += change
            cgroup.neighbourBytes += change
        }
        world.conductor.after(Self.interval) { [self] in look() }
    }
}
