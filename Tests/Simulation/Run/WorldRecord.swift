package import Jetsam
import MemoryPressure

/// What is kept of a world that has been lived through.
package struct WorldRecord: Sendable {
    package struct Violation: Sendable {
        package var invariant: InvariantName
        package var kind: String
        /// Nanoseconds from the beginning.
        package var instant: Int64
        package var text: String
    }

    package private(set) var violations: [Violation] = []
    package var turns = 0
    package var ticks = 0
    package var killed = 0
    package var neighboursKilled = 0
    package var leastHeadroomBytes = Int.max
    package private(set) var steps = 0
    package private(set) var lastResorts = 0
    package private(set) var tasksExpired = 0
    package private(set) var victims = 0
    package private(set) var levelChanges = 0
    package private(set) var figures = ReleaseAccount.Figures()

    mutating func count(_ event: WorldEvent) {
        switch event {
        case .levelChanged(let change): levelChanges += change.isRepetition ? 0 : 1
        case .step(let step) where step.stage == .caches: steps += 1
        case .step(let step): victims += step.victimCount
        case .taskExpired: tasksExpired += 1
        case .lastResort: lastResorts += 1
        default: break
        }
    }

    mutating func add(_ other: ReleaseAccount.Figures) {
        figures.episodes += other.episodes
        figures.releasedBytes += other.releasedBytes
        figures.neededBytes += other.neededBytes
        figures.wastedBytes += other.wastedBytes
        figures.refetchedBytes += other.refetchedBytes
    }

    mutating func violate(
        _ invariant: InvariantName, during kind: Disturbance.Kind, at instant: Int64, _ text: String
    ) {
        violations.append(Violation(invariant: invariant, kind: kind.rawValue, instant: instant, text: text))
    }
}
