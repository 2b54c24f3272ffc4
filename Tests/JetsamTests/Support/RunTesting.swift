import MemoryPressure

@testable import JetsamPolicy
@testable import PurgeableCaches

/// Tests of runs, which hand out and take answers by themselves.
protocol RunTesting {}

extension RunTesting {
    func run(
        number: UInt64 = 1, _ level: PressureLevel = .warning, target: Int,
        _ clients: [(id: UInt64, bytes: Int, isAsynchronous: Bool)],
        trimsFirst: Bool = false, isUrgent: Bool = false
    ) -> ReclaimRun {
        let facts = clients.map {
            ClientFacts(
                id: $0.id, priority: ResourcePriority(rawValue: UInt8($0.id)),
                traits: $0.isAsynchronous ? .asynchronous : [],
                rebuildCost: nil, bytes: $0.bytes)
        }
        let demand = ReclaimDemand(
            level: level,
            reason: LevelReason(rule: .headroom, observed: 0, threshold: 0, unit: .bytes, cause: .sampler),
            targetBytes: target, missingBytes: target, step: 1, limitBytes: 1 << 30, isUrgent: isUrgent,
            decidedAt: .seconds(0))
        return ReclaimRun(
            number: number, kind: .step, demand: demand, plan: ReclaimOrder.plan(facts, targetBytes: target),
            sizes: Dictionary(uniqueKeysWithValues: facts.map { ($0.id, $0.bytes) }), callDeadline: .seconds(1),
            trimsFirst: trimsFirst)
    }

    /// What is handed out, as short words, until the run waits or ends; `answer` says what each release gives.
    func words(
        _ run: inout ReclaimRun, at time: Double = 0, trims: Bool = false, answer: (UInt64, Int) -> Int?
    ) -> [String] {
        var words: [String] = []
        while true {
            let now = MonotonicInstant.seconds(time)
            switch run.next(shouldTrimLast: trims, at: now) {
            case .wait: return words + ["wait"]
            case .trim:
                words.append("trim")
                run.wasTrimmed(gainedBytes: 0)
            case .limit(let id, let client, let bytes):
                words.append("limit \(client) \(bytes.map(String.init) ?? "none")")
                run.answered(id, promisedBytes: 0, freedBytes: nil, error: nil, at: now)
            case .release(let id, let client, let request):
                words.append("release \(client) \(request.bytes)")
                guard let given = answer(client, request.bytes) else { continue }
                run.answered(id, promisedBytes: given, freedBytes: nil, error: nil, at: now)
            case .releaseSegments(let bytes):
                words.append("segments \(bytes)")
                run.releasedSegments()
            case .start(_, let client, _, let request): words.append("start \(client) \(request?.bytes ?? 0)")
            case .measure: return words + ["measure"]
            }
        }
    }
}
