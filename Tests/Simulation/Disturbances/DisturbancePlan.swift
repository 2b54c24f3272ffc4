/// The disturbances of one hour, drawn from the seed: one after another, with calm between them.
struct DisturbancePlan {
    private(set) var disturbances: [Disturbance] = []

    private static let second: Int64 = 1_000_000_000
    /// From the beginning of one to that of the next.
    static let slot: Int64 = 300 * second

    /// - Parameters:
    ///   - spareBytes: What the limit leaves beside the memory that is always there, in bytes.
    ///   - duration: Nanoseconds.
    init(
        using random: inout SeededGenerator, begin: Int64, duration: Int64, limitBytes: Int, spareBytes: Int,
        servers: Int
    ) {
        // All kinds in turn, each world from another one on, so that a hundred worlds have all of them often.
        var order = Disturbance.Kind.allCases
        order.shuffle(using: &random)
        var start = begin + 60 * Self.second
        var number = 0
        while start + Self.slot <= begin + duration {
            let kind = order[number % order.count]
            number += 1
            let first = start + random.nanoseconds(in: 5...30)
            let end = first + random.nanoseconds(in: 20...150)
            let kinds = kind == .mix ? Self.mixed(using: &random) : [kind]
            for kind in kinds {
                var one = Disturbance(kind: kind, begin: first, end: end, bytes: 0)
                if kinds.count > 1 { one.begin += random.nanoseconds(in: 0...10) }
                one.server = Int(random.next() % UInt64(servers))
                one.cacheMask = random.next() | 1
                // Most can be survived where caches give all that they have; some cannot.
                let most = random.chance(0.9) ? 0.8 : 1.1
                one.bytes = Int(Double(spareBytes) * random.share(in: 0.2...most)) / kinds.count
                Self.shape(&one, limitBytes, using: &random)
                disturbances.append(one)
            }
            start += Self.slot
        }
    }

    private static func mixed(using random: inout SeededGenerator) -> [Disturbance.Kind] {
        let kinds = Disturbance.Kind.allCases.filter { $0 != .mix && $0 != .calm && $0 != .leak }
        return (0..<Int(2 + random.next() % 2)).map { _ in random.pick(kinds) }
    }

    private static func shape(_ one: inout Disturbance, _ limitBytes: Int, using random: inout SeededGenerator) {
        switch one.kind {
        case .spike: one.period = random.nanoseconds(in: 0.2...2)
        case .waves: one.period = random.nanoseconds(in: 2...20)
        case .sawtooth: one.period = random.nanoseconds(in: 1...8)
        case .neighbour: one.rate = random.bytes(in: 10_000_000...300_000_000)
        case .lyingHandlers: one.end = min(one.end, one.begin + 60 * second)
        case .leak:
            one.rate = random.bytes(in: 1_000_000...8_000_000)
            one.end = one.begin + 240 * second
            one.bytes = limitBytes
        default: break
        }
    }
}
