package import Jetsam
internal import MemoryPressure

/// A server that never was: its readings over a day, and what a manager decides on them, as a trace.
///
/// Memory of requests comes and goes with the hour and in bursts, caches fill what they may and give what they are asked for. It is
/// there to try replays, trials and reports on a length that nobody wants to wait for.
package struct MadeUpServer: Sendable {
    /// The trace, not collected yet.
    package private(set) var writer = TraceLineWriter()

    private let limitBytes: Int
    private let interval: Duration
    private var decider: Decider
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    private var sequence: UInt64 = 0
    private var requestBytes = 0
    private var burstBytes = 0
    private var cacheBytes = 0
    private var cacheLimit: Int?
    private var pending: ReclaimDemand?
    private var stallMicroseconds: UInt64 = 0
    private var lastRelease: MonotonicInstant?
    private var refetchedBytes = 0

    /// - Parameters:
    ///   - limitBytes: Its hard limit.
    ///   - interval: From one reading to the next.
    package init(limitBytes: Int, interval: Duration) {
        self.limitBytes = limitBytes
        self.interval = interval
        decider = Decider(Decider.Setup())
        writer.append(TraceHeader(decider.setup), at: now)
    }

    /// Forgets the lines that were written.
    package mutating func dropLines() {
        writer.drop()
    }

    /// One reading more. The same numbers give the same day.
    package mutating func advance(using random: inout some RandomNumberGenerator) {
        now = now.advanced(by: interval)
        if let demand = pending { end(demand) }
        move(using: &random)
        var observation = Decider.Observation(reading: reading(), reportedBytes: cacheBytes)
        observation.refetchedBytes = refetchedBytes
        let decision = decider.decide(&observation, victims: { Decider.Victims() })
        writer.append(ReadingRecord(observation, interval: decision.interval), at: now)
        var records = ExpectedRecords()
        decision.show(observation.reading, to: &records)
        for event in records.events { event.write(to: &writer, at: now) }
        if let demand = decision.demand {
            pending = demand
            cacheLimit = max(0, cacheBytes - demand.targetBytes)
        }
        if let regrowth = decision.regrowth, let limit = cacheLimit {
            let isFull = cacheBytes >= limit - limit / 8
            cacheLimit = isFull ? limit + regrowth.bytes : regrowth.mayLift ? nil : limit
            if cacheLimit == nil { tell(.limitsLifted) }
        }
    }

    private mutating func tell(_ notice: Decider.Notice) {
        decider.handle(notice)
        writer.append(NoticeRecord(notice), at: now)
    }

    private mutating func end(_ demand: ReclaimDemand) {
        pending = nil
        let given = min(demand.targetBytes, cacheBytes)
        cacheBytes -= given
        lastRelease = now
        var step = StepRecord()
        step.step = demand.step
        step.level = demand.level
        step.rule = demand.reason.rule
        step.targetBytes = demand.targetBytes
        step.promisedBytes = given
        step.returnedBytes = given
        step.headroomAfter = limitBytes - unreclaimableBytes
        step.headroomBefore = max(0, step.headroomAfter - given)
        step.duration = interval
        tell(.stepEnded(demand.step, promisedBytes: given, at: now))
        writer.append(step, at: now)
    }

    private var unreclaimableBytes: Int { limitBytes / 5 + requestBytes + burstBytes + cacheBytes }

    /// Requests follow the hour; now and then a burst comes, and goes again.
    private mutating func move(using random: inout some RandomNumberGenerator) {
        func upTo(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
        let percent = limitBytes / 100
        let hour = Int(now.nanoseconds / 3_600_000_000_000) % 24
        let load = [4, 3, 2, 2, 2, 3, 5, 8, 12, 15, 17, 18, 18, 17, 17, 16, 16, 17, 19, 20, 18, 14, 10, 6][hour]
        requestBytes += (load * percent - requestBytes) / 64 + upTo(percent) - percent / 2
        requestBytes = max(0, requestBytes)
        if burstBytes == 0, upTo(3000) == 0 { burstBytes = upTo(25 * percent) }
        burstBytes = burstBytes > percent ? burstBytes - burstBytes / 200 : 0
        let room = min(cacheLimit ?? .max, 60 * percent) - cacheBytes
        let grown = max(0, min(room, load * percent / 400))
        cacheBytes += grown
        // Half of the bytes that come soon after a release were there before.
        if let lastRelease, lastRelease.duration(to: now) <= ReleaseAccount.window { refetchedBytes += grown / 2 }
        if limitBytes - unreclaimableBytes < 10 * percent { stallMicroseconds += UInt64(upTo(4000)) }
    }

    private mutating func reading() -> MemoryReading {
        sequence += 1
        var reading = MemoryReading()
        reading.sequence = sequence
        reading.instant = now
        reading.limitBytes = limitBytes
        reading.isLimited = true
        reading.tightestLevel = 0
        reading.unreclaimableBytes = min(unreclaimableBytes, limitBytes)
        reading.usageBytes = min(limitBytes, reading.unreclaimableBytes + limitBytes / 20)
        reading.headroomBytes = limitBytes - reading.unreclaimableBytes
        reading.footprintBytes = reading.unreclaimableBytes
        reading.stallSomeMicroseconds = stallMicroseconds
        reading.events = MemoryEventCounters()
        return reading
    }
}
