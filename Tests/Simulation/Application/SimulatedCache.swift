import Jetsam
import MemoryPressure

/// A cache that fills up to what it wants at a rate, and gives at a speed with a latency.
final class SimulatedCache: @unchecked Sendable {
    /// What a cache is made with.
    struct Plan {
        var name: String
        var priority = ResourcePriority.normal
        /// What it would hold if nothing limited it, in bytes.
        var wantedBytes: Int
        /// Bytes a second.
        var growthRate: Int
        /// How fast it gives, in bytes a second.
        var releaseRate: Int
        /// From being asked to the first byte, in nanoseconds.
        var latency: Int64
        var isAsynchronous = false
        var traits: CacheTraits = []
    }

    /// How its handler behaves.
    enum Manner: Equatable {
        case honest
        /// Answers that it gave what it was asked for, and gives nothing.
        case lying
        case throwing
        /// Does not come back before that instant, in nanoseconds.
        case hanging(until: Int64)
    }

    let plan: Plan
    let server: SimulatedServer
    var manner = Manner.honest
    /// What wanted bytes and rates are multiplied with for a while.
    var appetite = 1
    /// How many times slower than planned it gives at the moment.
    var slowness = 1

    private(set) var bytes = 0
    private(set) var limit: Int?
    /// All that it gave, in bytes.
    private(set) var givenBytes = 0
    /// What it is giving at the moment, in bytes: others see it come at the end of a portion.
    private(set) var portionBytes = 0
    /// All that it answered to have given, each answer held to what it had reported, in bytes.
    private(set) var answeredBytes = 0
    /// All that it grew while it held less than before its last release, in bytes.
    private(set) var refetchedBytes = 0
    /// Bytes that it was asked for by calls that have not come back.
    private(set) var outstandingBytes = 0
    /// Whether the call that it is at work for is the first that shows how fast it gives.
    private(set) var isUnknown = false
    /// When it last behaved in another manner than honestly, in nanoseconds.
    private(set) var misbehavedAt = Int64.min
    /// When it was asked last, in nanoseconds.
    private(set) var askedAt = Int64.min
    private(set) var grownBytes = 0
    /// When it answered last, in nanoseconds.
    private(set) var answeredAt = Int64.min
    /// The most that it held in each ten minutes, this and the one before, in bytes.
    private var peaks = (current: 0, before: 0, number: Int64.min)
    private static let peakMemory: Int64 = 600_000_000_000
    private var bytesBeforeRelease = 0
    private var fraction = 0.0
    /// When its last calls began and ended.
    private var calls: [(began: Int64, ended: Int64)] = []
    private var registration: CacheRegistration?

    /// A handler takes so long at least: time has to pass with every call.
    private static let shortest: Int64 = 50_000
    /// So long a handler works that gives nothing.
    private static let lie: Int64 = 5_000_000
    /// At `critical` nobody waits longer than this for what was asked for at `warning`.
    private static let latestAtCritical = Duration.milliseconds(100)
    /// For so long after it last misbehaved it may be passed over, and others are asked for what it promises.
    private static let distrust: Int64 = 600_000_000_000
    /// At `critical` others wait for so many nanoseconds for a portion.
    static let patience: Int64 = 31_250_000
    /// It gives in portions of this time, so that others see memory come.
    private static let portion: Int64 = 10_000_000

    init(_ plan: Plan, of server: SimulatedServer) {
        self.plan = plan
        self.server = server
    }

    /// The most that it held in the last ten to twenty minutes, in bytes: at `warning` it may keep a quarter of that.
    var peakBytes: Int { max(peaks.current, peaks.before) }
    var wantedBytes: Int { plan.wantedBytes * appetite }
    var wantsMore: Bool { bytes + (1 << 20) < wantedBytes }
    private var conductor: Conductor { server.world.conductor }

    func register(in registry: CacheRegistry) {
        if plan.isAsynchronous {
            registration = registry.registerAsynchronous(
                plan.name, priority: plan.priority, traits: plan.traits,
                limit: { [self] in setLimit($0) },
                release: { [self] in try await release($0) })
        } else {
            registration = registry.register(
                plan.name, priority: plan.priority, traits: plan.traits,
                limit: { [self] in setLimit($0) }, release: { [self] in try release($0) })
        }
        registration?.update(bytes: bytes)
    }

    /// Its process is gone.
    func drop() {
        registration?.end()
        registration = nil
        bytes = 0
    }

    func end() {
        registration?.end()
        registration = nil
    }

    /// Fills up for so long.
    func move(by nanoseconds: Int64) {
        notePeak()
        let room = min(wantedBytes, limit ?? .max) - bytes
        guard room > 0 else { return }
        fraction += Double(plan.growthRate * appetite) * Double(nanoseconds) * 1e-9
        let grown = min(room, Int(fraction))
        fraction = grown == room ? 0 : fraction - Double(grown)
        guard grown > 0 else { return }
        refetchedBytes += max(0, min(grown, bytesBeforeRelease - bytes))
        grownBytes += grown
        bytes += grown
        server.allocator.allocate(grown)
        registration?.update(bytes: bytes)
    }

    private func notePeak() {
        let number = conductor.now / Self.peakMemory
        if number != peaks.number { peaks = (bytes, peaks.current, number) }
        peaks.current = max(peaks.current, bytes)
    }

    /// Whether no handler of it is out, and the step that it had a part in is over for certain.
    var isAtRest: Bool { outstandingBytes == 0 && conductor.now - max(askedAt, 0) > 3_000_000_000 }

    /// A difference to the ledger was told; it is not told again.
    func forgiveLedger(_ promised: Int) {
        answeredBytes = promised
    }

    private func setLimit(_ bytes: Int?) {
        limit = bytes
        server.note(.limited(self, bytes: bytes))
    }

    private func begin(_ request: ReleaseRequest) -> Int {
        outstandingBytes += request.bytes
        askedAt = conductor.now
        if calls.count > 64 { calls.removeFirst(32) }
        calls.append((conductor.now, .max))
        server.note(.asked(self, bytes: request.bytes, level: request.level))
        bytesBeforeRelease = max(bytes, bytesBeforeRelease)
        isUnknown = givenBytes < 1 << 20
        if manner != .honest { misbehavedAt = conductor.now }
        return bytes
    }

    private func answer(_ bytes: Int, _ request: ReleaseRequest, reported: Int) -> Int {
        outstandingBytes -= request.bytes
        answeredAt = conductor.now
        if let last = calls.indices.last { calls[last].ended = conductor.now }
        answeredBytes += max(0, min(bytes, max(reported, request.bytes)))
        server.note(.answered(self, asked: request.bytes, answer: bytes))
        return bytes
    }

    /// - Parameter sample: What there was when it was asked, for the first bytes that it gives.
    private func give(_ bytes: Int, isLate: Bool, _ sample: ReleaseAccount.Sample?) -> Int {
        let given = min(max(0, bytes), self.bytes)
        guard given > 0 else { return 0 }
        notePeak()
        server.beforeRelease(sample)
        self.bytes -= given
        givenBytes += given
        server.allocator.free(given)
        registration?.update(bytes: self.bytes)
        server.world.recount()
        server.afterRelease(given, of: self, isLate: isLate)
        return given
    }

    private struct Failure: Error {}

    /// The synchronous handler: it takes time on the thread that calls it.
    private func release(_ request: ReleaseRequest) throws -> Int {
        let (calledAt, sample) = (conductor.now, server.sample())
        let reported = begin(request)
        conductor.sleep(max(Self.shortest, plan.latency * Int64(slowness)))
        switch manner {
        case .throwing:
            _ = answer(0, request, reported: reported)
            throw Failure()
        case .lying:
            conductor.sleep(Self.lie)
            return answer(request.bytes, request, reported: reported)
        case .hanging(let end): conductor.sleep(end - conductor.now)
        case .honest: break
        }
        var given = 0
        while given < request.bytes, bytes > 0 {
            let portion = portion(of: request.bytes - given)
            portionBytes = portion.bytes
            conductor.sleep(portion.nanoseconds)
            portionBytes = 0
            given += give(portion.bytes, isLate: isLate(request, calledAt), given == 0 ? sample : nil)
        }
        return answer(given, request, reported: reported)
    }

    /// The asynchronous one: it takes time in its task.
    private func release(_ request: ReleaseRequest) async throws -> Int {
        let (calledAt, sample) = (conductor.now, server.sample())
        let reported = begin(request)
        await conductor.pause(max(Self.shortest, plan.latency * Int64(slowness)))
        switch manner {
        case .throwing:
            _ = answer(0, request, reported: reported)
            throw Failure()
        case .lying:
            await conductor.pause(Self.lie)
            return answer(request.bytes, request, reported: reported)
        case .hanging(let end): await conductor.pause(end - conductor.now)
        case .honest: break
        }
        var given = 0
        while given < request.bytes, bytes > 0 {
            let portion = portion(of: request.bytes - given)
            portionBytes = portion.bytes
            await conductor.pause(portion.nanoseconds)
            portionBytes = 0
            given += give(portion.bytes, isLate: isLate(request, calledAt), given == 0 ? sample : nil)
        }
        return answer(given, request, reported: reported)
    }

    /// What it gives now has missed its deadline.
    private func isLate(_ request: ReleaseRequest, _ calledAt: Int64) -> Bool {
        let isLeft = request.level == .warning && server.manager.level == .critical
        let deadline = isLeft ? min(request.deadline, Self.latestAtCritical) : request.deadline
        return .nanoseconds(conductor.now - calledAt) > deadline
    }

    private func portion(of rest: Int) -> (bytes: Int, nanoseconds: Int64) {
        let rate = max(1, plan.releaseRate / slowness)
        let bytes = min(rest, bytes, max(1 << 16, Int(Double(rate) * Double(Self.portion) * 1e-9)))
        return (max(1, bytes), max(1000, Int64(Double(bytes) / Double(rate) * 1e9)))
    }

    /// How long it takes to give all that it wants to hold, in portions of a quarter of the deadline at `critical`.
    var timeToEmpty: Int64 {
        let giving = Int64(Double(max(bytes, wantedBytes)) / Double(max(1, plan.releaseRate / slowness)) * 1e9)
        return giving + (1 + giving / 25_000_000) * plan.latency * Int64(slowness)
    }

    /// How long one call takes that gives so many bytes; without end where it does not give.
    func timeToGive(_ bytes: Int) -> Int64 {
        guard manner == .honest else { return .max / 4 }
        return Int64(Double(bytes) / Double(max(1, plan.releaseRate / slowness)) * 1e9) + plan.latency * Int64(slowness)
    }

    /// Whether others have been asked for what it was asked for: nobody knew that it takes longer than a portion may at `critical`.
    var isSurprisinglySlow: Bool { isUnknown && conductor.now - askedAt > SimulatedCache.patience }

    /// Whether it misbehaved not long ago.
    var isDistrusted: Bool { misbehavedAt != .min && conductor.now - misbehavedAt <= Self.distrust }

    /// When it came back from the call that it was at work for at an instant; that instant where it was not.
    func timeBack(from instant: Int64) -> Int64 {
        for call in calls.reversed() where call.began < instant {
            return max(instant, call.ended)
        }
        return instant
    }

    /// What it could have given by itself in so many nanoseconds, had it been asked at their beginning.
    func couldGive(in nanoseconds: Int64) -> Int {
        let time = nanoseconds - max(Self.shortest, plan.latency * Int64(slowness))
        guard time > 0, manner == .honest else { return 0 }
        let rate = Double(max(1, plan.releaseRate / slowness))
        return Int(min(1e15, rate * Double(time) * 1e-9))
    }
}
