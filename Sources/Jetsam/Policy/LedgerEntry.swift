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
    private(set) var longestHandlerTime = Duration.zero
    /// A moving share of what was asked for that the answers promised, in undisturbed steps; nil before the first.
    private(set) var yield: Double?
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
        promisedBytes = Self.sum(promisedBytes, answer.promisedBytes)
        returnedBytes = Self.sum(returnedBytes, answer.returnedBytes)
        if let freed = answer.freedBytes { freedBytes = Self.sum(freedBytes ?? 0, freed) }
        failures += answer.failed ? 1 : 0
        missedDeadlines += answer.missedDeadline ? 1 : 0
        longestHandlerTime = max(longestHandlerTime, answer.duration)
        guard !isDisturbed, answer.askedBytes > 0 else { return }
        let share = Double(answer.promisedBytes) / Double(answer.askedBytes)
        yield = yield.map { $0 * 0.7 + min(share, 1) * 0.3 } ?? min(share, 1)
        let isIneffective = answer.promisedBytes < min(Self.littleBytes, answer.askedBytes / 2)
        if isIneffective {
            let byTime = answer.duration * Self.holdOffFactor
            let least = answer.promisedBytes < Self.littleBytes ? Self.holdOffAfterNothing : Self.holdOffMinimum
            heldOff = (now.advanced(by: max(byTime, least)), level, headroomBytes)
        } else {
            heldOff = nil
        }
    }

    /// Whether an ineffective purge still holds this cache off. It never holds up a higher level, and is void when headroom
    /// fell by 2 % of the limit since.
    func isHeldOff(at now: MonotonicInstant, level: PressureLevel, headroomBytes: Int, limitBytes: Int) -> Bool {
        guard let heldOff, now < heldOff.until, level <= heldOff.level else { return false }
        return headroomBytes > heldOff.headroomBytes - limitBytes / 50
    }

    var givesNothing: Bool { asks >= 2 && (yield ?? 1) < 0.05 }

    private static func sum(_ first: Int, _ second: Int) -> Int {
        let sum = first.addingReportingOverflow(second)
        return sum.overflow ? .max : sum.partialValue
    }
}
