internal import MemoryPressure
internal import Synchronization

/// A call of the application's for bytes, for as long as somebody waits for it.
final class ReleaseCall: Sendable {
    private let revoked = Atomic<Bool>(false)

    /// Nobody waits for it any more.
    var isRevoked: Bool { revoked.load(ordering: .acquiring) }

    func revoke() {
        revoked.store(true, ordering: .releasing)
    }
}

/// A call of the application's for bytes, until it is answered.
struct ReclaimRequest {
    enum Purpose {
        /// Bytes become free; nil for all that there are. Nobody is held down afterwards.
        case release(bytes: Int?, sensitiveOnly: Bool)
        /// So many bytes are missing to a limit that was announced: caches are held down to what they are left with.
        case prepare(bytes: Int?, missingBytes: Int)
    }

    let purpose: Purpose
    let call: ReleaseCall
    private let continuation: CheckedContinuation<ReclaimStep?, Never>

    init(_ purpose: Purpose, _ call: ReleaseCall, _ continuation: CheckedContinuation<ReclaimStep?, Never>) {
        self.purpose = purpose
        self.call = call
        self.continuation = continuation
    }

    /// The bytes that it wants; nil for all that there are.
    var bytes: Int? {
        switch purpose {
        case .release(let bytes, _), .prepare(let bytes, _): bytes
        }
    }

    /// Answers it; with nil where no cache was asked. Under no lock.
    func answer(_ step: ReclaimStep?) {
        continuation.resume(returning: step)
    }
}

/// The reason why a run is made.
enum RunOrigin {
    /// The level calls for a step.
    case demand
    /// The application calls for bytes.
    case request(ReclaimRequest)
    /// It is to be found out what comes back of what one cache gives.
    case probe(CacheClient)
    /// Limits change, and nothing is released.
    case limits

    var isDemand: Bool { if case .demand = self { true } else { false } }
    var isProbe: Bool { if case .probe = self { true } else { false } }
    var request: ReclaimRequest? { if case .request(let request) = self { request } else { nil } }

    /// The bytes that are missing to a limit that was announced; nil where it is made for another reason.
    ///
    /// A caller that is about to lower a limit needs free memory, and waits for it.
    var missingToLimit: Int? {
        if case .request(let request) = self, case .prepare(_, let missing) = request.purpose { missing } else { nil }
    }

    /// The purpose of a step in recordings.
    var recorded: RunRecord.Purpose { isDemand ? .step : missingToLimit == nil ? .request : .prepare }

    /// Returns those of all caches that are asked.
    func asked(of clients: [CacheClient]) -> [CacheClient] {
        switch self {
        case .probe(let client): return [client]
        case .demand, .limits: return clients
        case .request(let request):
            guard case .release(_, sensitiveOnly: true) = request.purpose else { return clients }
            return clients.filter { $0.traits.contains(.sensitive) }
        }
    }
}
