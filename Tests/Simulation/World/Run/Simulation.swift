import Glibc
import Jetsam
import JetsamTesting
import MemoryPressure

/// The command `jetsam-simulation`.
package enum Simulation {
    package static func main() {
        let seed = UInt64(CommandLine.arguments[1])!
        let last = UInt64(CommandLine.arguments[2])!
        let follows = CommandLine.arguments.count > 3
        do {
            let tree = try KernelTree.v2(limit: 512 << 20)
            defer { tree.remove() }
            for seed in seed...last {
                let start = ContinuousClock.now
                let world = try World(WorldPlan(seed: seed, duration: 3_600_000_000_000), tree: tree)
                if follows {
                    world.onEvent = { text in
                        print(Double(world.conductor.now - World.start) * 1e-9, text)
                    }
                }
                try world.run()
                let r = world.record
                print(
                    "seed \(seed) \(world.digest) \(ContinuousClock.now - start) turns \(r.turns) ticks \(r.ticks) killed \(r.killed) steps \(r.steps) levels \(r.levelChanges) resorts \(r.lastResorts) violations \(r.violations.count) threads \(world.conductor.liveThreads)"
                )
            }
        } catch {
            print(error)
            exit(1)
        }
    }
}
