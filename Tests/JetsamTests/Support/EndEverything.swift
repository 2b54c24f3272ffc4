@testable import BackgroundTasks
@testable import Jetsam

extension BackgroundTaskRegistry {
    /// Ends all that is held, whoever holds it. A registry lives for as long as it holds tasks, so that one whose test leaves
    /// some would never go.
    func endEverything() {
        var identifiers: [TaskTable.Identifier] = []
        table.forEach { _, identifier, _ in identifiers.append(identifier) }
        for identifier in identifiers {
            if let ended = table.endFromOutside(identifier) { hasEnded(ended) }
        }
    }
}
