import JetsamPrometheus
import Synchronization

/// Keeps the refusals that were told.
final class Told: Sendable {
    private let refusals = Mutex<[PrometheusRefusal]>([])

    var all: [PrometheusRefusal] { refusals.withLock { $0 } }

    func add(_ refusal: PrometheusRefusal) { refusals.withLock { $0.append(refusal) } }
}
