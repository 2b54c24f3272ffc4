internal import MemoryPressure

/// What is known of one cache from the times that it was asked.
struct LedgerEntry: Equatable {
    private(set) var asks = 0
    private(set) var promisedBytes = 0
    /// Nil where the allocator cannot tell.
    private(set) var freedBytes: Int?
    private(set) var returnedBytes = 0
    private(set) var failures = 0
    private(set) var missedDeadlines = 0
    /// Part of what was promised: what came after its step had ended.
    private(set) var lateBytes = 0
    /// How fast its handler gave, in bytes a second, the slower of the last two times counting more; nil before the first.
    private(set) var bytesPerSecond: Double?
    private(set) var longestHandlerTime = Duration.zero
    /// A moving share of what was asked for that the answers promised, in undisturbed steps; nil before the first.
    private(set) var yield: Double?
    /// A moving share of what was promised that came back as memory, in undisturbed steps that can tell; nil before the first.
    private(set) var returnedShare: Double?
    private var returnsSeen = 0
    private var heldOff: (until: MonotonicInstant, level: PressureLevel, headroomBytes: Int)?

    static func == (lhs: LedgerEntry, rhs: LedgerEntry) -> Bool {
        lhs.asks == rhs.asks && lhs.promisedBytes == rhs.promisedBytes && lhs.returnedBytes == rhs.returnedBytes
    }

    /// One answer of one handler.
    struct Answer: Equatable {
        var askedBytes: Int
        var promisedBytes: Int
        var freedBytes: Int?
        var returnedBytes: Int
        var duration: Duration
        var failed = false
        var missedDeadline = false
        /// Whether what was freed had left the allocator when the step was measured.
        var showsReturn = false

        /// Another portion of the same step.
        mutating func add(_ other: Answer) {
            askedBytes = askedBytes.addingSaturating(other.askedBytes)
            promisedBytes = promisedBytes.addingSaturating(other.promisedBytes)
            if let freed = other.freedBytes { freedBytes = (freedBytes ?? 0).addingSaturating(freed) }
            duration += other.duration
            failed = failed || other.failed
            missedDeadline = missedDeadline || other.missedDeadline
        }
    }

    /// WebKit's hold-off after a purge: twenty times its duration, five seconds at least, thirty after less than 1 MiB.
    private static let holdOffFactor = 20
    private static let holdOffMinimum = Duration.seconds(5)
    private static let holdOffAfterNothing = Duration.seconds(30)
    private static let littleBytes = 1 << 20

    mutating func add(
        _ answer: Answer, isDisturbed: Bool, level: PressureLevel, headroomBytes: Int, at now: MonotonicInstant
    ) {
        asks += 1
        promisedBytes = promisedBytes.addingSaturating(answer.promisedBytes)
        returnedBytes = returnedBytes.addingSaturating(answer.returnedBytes)
        if let freed = answer.freedBytes { freedBytes = (freedBytes ?? 0).addingSaturating(freed) }
        failures += answer.failed ? 1 : 0
        missedDeadlines += answer.missedDeadline ? 1 : 0
        longestHandlerTime = max(longestHandlerTime, answer.duration)
        noteRate(answer.promisedBytes, answer.duration)
        guard !isDisturbed, answer.askedBytes > 0 else { return }
        let share = Double(answer.promisedBytes) / Double(answer.askedBytes)
        yield = yield.map { $0 * 0.7 + min(share, 1) * 0.3 } ?? min(share, 1)
        if answer.showsReturn, answer.promisedBytes >= Self.littleBytes {
            let share = min(1, Double(answer.returnedBytes) / Double(answer.promisedBytes))
            returnedShare = returnedShare.map { $0 * 0.7 + share * 0.3 } ?? share
            returnsSeen += 1
        }
        let isIneffective = answer.promisedBytes < min(Self.littleBytes, answer.askedBytes / 2)
        if isIneffective {
            let byTime = answer.duration * Self.holdOffFactor
            let least = answer.promisedBytes < Self.littleBytes ? Self.holdOffAfterNothing : Self.holdOffMinimum
            heldOff = (now.advanced(by: max(byTime, least)), level, headroomBytes)
        } else {
            heldOff = nil
        }
    }

    /// An answer that came when its step had ended: `answer` tells what it brought, but it is no ask of its own.
    mutating func addLate(_ answer: Answer) {
        promisedBytes = promisedBytes.addingSaturating(answer.promisedBytes)
        returnedBytes = returnedBytes.addingSaturating(answer.returnedBytes)
        lateBytes = lateBytes.addingSaturating(answer.promisedBytes)
        if let freed = answer.freedBytes { freedBytes = (freedBytes ?? 0).addingSaturating(freed) }
        failures += answer.failed ? 1 : 0
        longestHandlerTime = max(longestHandlerTime, answer.duration)
        noteRate(answer.promisedBytes, answer.duration)
        guard answer.promisedBytes >= Self.littleBytes else { return }
        // It is slow, not empty: the step booked nothing for it.
        heldOff = nil
        if let yield, answer.askedBytes > 0 {
            self.yield = min(1, yield + 0.3 * Double(answer.promisedBytes) / Double(answer.askedBytes))
        }
    }

    private mutating func noteRate(_ bytes: Int, _ time: Duration) {
        guard let rate = ReleaseProgress.rate(bytes, time) else { return }
        bytesPerSecond = bytesPerSecond.map { rate < $0 ? rate : $0 * 0.5 + rate * 0.5 } ?? rate
    }

    /// Whether an ineffective purge still holds this cache off. It never holds up a higher level, and is void when headroom
    /// fell by 2 % of the limit since.
    func isHeldOff(at now: MonotonicInstant, level: PressureLevel, headroomBytes: Int, limitBytes: Int) -> Bool {
        guard let heldOff, now < heldOff.until, level <= heldOff.level else { return false }
        return headroomBytes > heldOff.headroomBytes - limitBytes / 50
    }

    /// Promises nothing, or promises what never comes back.
    var givesNothing: Bool {
        (asks >= 2 && (yield ?? 1) < 0.05) || (returnsSeen >= 2 && (returnedShare ?? 1) < 0.05)
    }

    /// What part of an ask is expected to come back as memory.
    var expectedShare: Double { (yield ?? 1) * (returnedShare ?? 1) }
}
