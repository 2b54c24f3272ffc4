internal import PurgeableCaches

/// The caches of a step in the order in which they are asked, and what follows from that order.
struct StepPlan {
    private(set) var parts: [PlannedRelease]
    private let level: PressureLevel
    /// At each place, what synchronous clients after it are to be asked for.
    private let laterAsks: [Int]
    /// The places of asynchronous clients that have their turn among the others.
    private let asynchronous: [Int]
    /// Those who are known to give nothing: their answers leave as much to be asked of the others.
    private let unreliable: Set<UInt64>

    init(_ parts: [PlannedRelease], level: PressureLevel) {
        var parts = parts
        if level < .critical, let first = parts.firstIndex(where: { $0.givesNothing && $0.askBytes > 0 }) {
            for index in parts.indices.dropFirst(first + 1) { parts[index].waitsForTurn = parts[index].isStarted }
        }
        self.parts = parts
        self.level = level
        var sums = [Int](repeating: 0, count: parts.count)
        for index in parts.indices.dropLast().reversed() {
            let next = parts[index + 1]
            let counts = !next.isAskedAtOnce && !next.givesNothing
            sums[index] = sums[index + 1].addingSaturating(counts ? next.askBytes : 0)
        }
        laterAsks = sums
        asynchronous =
            level < .critical ? [] : parts.indices.filter { parts[$0].isAsynchronous && !parts[$0].givesNothing }
        unreliable = Set(parts.lazy.filter(\.givesNothing).map(\.id))
    }

    var count: Int { parts.count }

    subscript(index: Int) -> PlannedRelease { parts[index] }

    /// Lets a cache be asked that was at work for an earlier step.
    ///
    /// - Returns: Its part; nil where it was not.
    mutating func cameBack(_ client: UInt64) -> PlannedRelease? {
        guard let index = parts.firstIndex(where: { $0.id == client && $0.isAwaitedBack }) else { return nil }
        parts[index].isAwaitedBack = false
        parts[index].canBeAsked = true
        return parts[index]
    }

    func isUnreliable(_ client: UInt64) -> Bool { unreliable.contains(client) }

    /// Returns the bytes that are left of a target for those who answer in turn. What memory of the library's own is asked for at the
    /// beginning is taken to come, and at warning also what asynchronous clients are. Of all others only answers count.
    func remaining(of target: Int) -> Int {
        let asked = parts.reduce(0) { sum, part in
            let counts = !part.givesNothing && part.isAskedAtOnce && (part.ownsSegments || level < .critical)
            return sum.addingSaturating(counts ? part.askBytes : 0)
        }
        return target.subtractingSaturating(asked)
    }

    /// Returns the bytes that those after a place are to give, and have not been asked for.
    ///
    /// - Parameter open: The bytes of an asynchronous client's part that it was not asked for and did not give.
    func laterAsks(after index: Int, open: (PlannedRelease) -> Int) -> Int {
        asynchronous.reduce(laterAsks[index]) { sum, place in
            place > index ? sum.addingSaturating(max(0, open(parts[place]))) : sum
        }
    }
}
