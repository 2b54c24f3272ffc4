internal import Jetsam
internal import MemoryPressure
internal import ServiceLifecycle

/// Writes what the manager does into the timeline: each change of the level and each step of reclaim, and why.
struct Timeline: Service {
    var manager: ResourceManager
    var returned: ReturnedBytes
    var log: EventLog

    func run() async throws {
        let changes = manager.levelChanges
        let steps = manager.reclaimSteps
        // For as long as its turn: the streams end with the manager, and a service that ends early makes the group fail.
        await withTaskGroup { group in
            group.addTask { try? await gracefulShutdown() }
            group.addTask {
                for await change in changes.cancelOnGracefulShutdown() { write(change) }
            }
            group.addTask {
                for await step in steps.cancelOnGracefulShutdown() {
                    returned.add(step)
                    write(step)
                }
            }
        }
    }

    private func write(_ change: LevelChange) {
        log.write(
            change.previous == change.level ? "level-repeated" : "level",
            [
                ("from", .text("\(change.previous)")),
                ("to", .text("\(change.level)")),
                ("rule", .text("\(change.reason.rule)")),
                ("headroomBytes", .integer(change.headroomBytes)),
                ("text", .text("\(change)")),
            ])
    }

    private func write(_ step: ReclaimStep) {
        log.write(
            "reclaim",
            [
                ("level", .text("\(step.level)")),
                ("rule", .text("\(step.reason.rule)")),
                ("targetBytes", .integer(step.targetBytes)),
                ("promisedBytes", .integer(step.promisedBytes)),
                ("freedBytes", step.freedBytes.map { .integer($0) } ?? .null),
                ("returnedBytes", .integer(step.returnedBytes)),
                ("text", .text("\(step)")),
            ])
    }
}
