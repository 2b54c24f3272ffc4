package import Jetsam
import JetsamTesting
import MemoryPressure

/// What became of one seed.
package struct WorldResult: Sendable {
    package var seed: UInt64
    package var digest: String
    package var milliseconds: Int
    package var record: WorldRecord

    /// Lives through the hour that belongs to a seed.
    ///
    /// - Parameters:
    ///   - seconds: How long it is.
    ///   - configuration: What the managers are given, but for what belongs to the seed: dry run, and whether scenes are taken.
    ///   - follow: Called with each event, as a line.
    package static func of(
        seed: UInt64, seconds: Int, configuration: ManagerConfiguration = ManagerConfiguration(),
        follow: ((_ line: String) -> Void)? = nil
    ) throws -> WorldResult {
        let tree = try KernelTree.v2(limit: 1 << 30)
        defer { tree.remove() }
        let start = ContinuousClock.now
        let plan = WorldPlan(seed: seed, duration: Int64(seconds) * 1_000_000_000, configuration: configuration)
        let world = try World(plan, tree: tree)
        if let follow {
            follow(world.plan.description)
            world.onEvent = { [unowned world] text in
                let milliseconds = (world.now - World.start) / 1_000_000
                follow("\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst()) \(text)")
            }
        }
        try world.run()
        let took = Int((ContinuousClock.now - start) / .milliseconds(1))
        return WorldResult(
            seed: seed, digest: "\(world.digest)", milliseconds: took, record: world.record)
    }
}
