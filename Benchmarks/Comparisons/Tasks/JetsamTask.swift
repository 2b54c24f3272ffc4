import ComparisonSupport
import Jetsam

/// Jetsam's handle, in a registry of its own whose handlers are called at the deadline and not before.
struct JetsamTask: Contender {
    private let registry: BackgroundTaskRegistry
    private let held: Slots<BackgroundTask>

    init(slots: Int, threads: Int) {
        var configuration = BackgroundTaskConfiguration()
        configuration.lead = .zero
        // Longer than any of these measurements: being overdue is not part of them.
        configuration.grace = .seconds(60)
        registry = BackgroundTaskRegistry(configuration: configuration)
        held = Slots(count: slots)
    }

    func begin(_ slot: Int, due: Int64, word: Int) {
        begin(slot, after: .nanoseconds(due - monotonicNanoseconds()), word: word)
    }

    func begin(_ slot: Int) {
        begin(slot, after: .seconds(30), word: slot)
    }

    private func begin(_ slot: Int, after time: Duration, word: Int) {
        do {
            held.put(try registry.begin("bench", expiry: .after(time)) { fired(word) }, slot)
        } catch {
            stop("a background task was refused")
        }
    }

    func end(_ slot: Int) {
        var task = held.remove(slot)
        task.end()
    }

    func settle() {}
}
