internal import MemoryPressure

/// The run that is under way, with the reason why it was made.
struct RunUnderWay {
    var run: ReclaimRun
    let origin: RunOrigin

    /// Returns whether it ends for a step at that level. A call of the application's goes on while its caches do what is expected of
    /// them: what they give helps as well.
    func mustGiveWay(to pending: PressureLevel, at now: MonotonicInstant) -> Bool {
        if run.kind == .regrowth || pending > run.demand.level { return true }
        return pending == .critical && run.demand.step == 0 && run.isLate(at: now)
    }

    /// Returns whether the allocator is trimmed once the caches have given, by what they gave so far.
    func shouldTrimLast(
        _ trim: TrimSchedule, _ allocator: any MemoryAllocator, _ caches: CachesAtHand,
        at now: MonotonicInstant
    ) -> Bool {
        guard allocator.canTrim else { return false }
        let freed = freedIntoAllocator(caches)
        if freed > 0, allocator.trimsAfterEveryStep || origin.isProbe || origin.missingToLimit != nil { return true }
        var trim = trim
        trim.noteFreed(freed)
        if run.demand.level == .critical, trim.isDueAtCriticalEnd { return true }
        return trim.isDue(limitBytes: run.demand.limitBytes, missingBytes: run.demand.missingBytes, at: now)
    }

    /// Returns the bytes that the caches gave and that went to the allocator, and not to the kernel at once.
    func freedIntoAllocator(_ caches: CachesAtHand) -> Int {
        var sum = 0
        for outcome in run.outcomes
        where outcome.isRelease && caches[outcome.client]?.traits.contains(.unmapping) != true {
            sum = sum.addingSaturating(outcome.answer.promisedBytes)
        }
        return sum
    }

    /// Returns the bytes that left the process beside those that a trim, or caches themselves, gave to the kernel.
    func returnedByAllocator(_ before: MemoryReading, _ after: MemoryReading, freedBytes: Int) -> Int {
        let direct = run.promisedBytes.subtractingSaturating(freedBytes)
        return max(0, before.footprintBytes - after.footprintBytes - run.trimmedBytes - direct)
    }

    /// Counts what caches gave without their handlers as part of the step.
    mutating func bookSegments(
        _ registry: CacheRegistry, _ caches: CachesAtHand, _ recorder: RunRecorder, _ channel: ReclaimChannel,
        at now: MonotonicInstant
    ) {
        guard registry.unbookedBytes > 0, run.kind == .step else { return }
        for client in caches.all {
            let bytes = client.unbookedBytes
            guard bytes > 0 else { continue }
            run.gaveSegments(client: client.id, bytes: bytes, at: now)
            recorder.gaveSegments(run.number, client.id, bytes, at: now)
            // Before they count as written: they would be missing, and given nowhere, else.
            channel.gauges.publish(run)
            registry.noteBooked(bytes, of: client)
        }
    }

    /// Returns what came of it, by the readings before and after it.
    func measurement(
        _ end: RunEnd, since before: RunStart, _ caches: CachesAtHand,
        retainedBytes: Int
    ) -> ReclaimMeasurement {
        // The bytes by which each cache reports less than when the run began.
        var falls: [UInt64: Int] = [:]
        for (id, bytes) in run.sizes { falls[id] = bytes - (caches[id]?.reportedBytes ?? bytes) }
        return ReclaimMeasurement(
            run: run, before: before.reading, after: end.reading, managedBefore: before.managedBytes,
            managedAfter: end.managedBytes, growthRate: end.growthRate, end: end.instant,
            retainedBytes: retainedBytes, falls: falls)
    }

    /// Returns the handlers that threw, or missed their deadline.
    func problems(_ caches: CachesAtHand) -> [HandlerProblem] {
        run.outcomes.filter { $0.error != nil || $0.answer.missedDeadline }.map { outcome in
            HandlerProblem(
                cache: caches[outcome.client]?.name ?? "unknown", error: outcome.error,
                duration: outcome.answer.duration)
        }
    }
}

/// The readings before a run.
struct RunStart {
    var reading = MemoryReading()
    /// The bytes that caches report.
    var managedBytes = 0
    /// The most that unmanaged memory had grown by from one reading to the next, in bytes.
    var jumpBytes = 0
}

/// The readings at the end of a run.
struct RunEnd {
    let reading: MemoryReading
    let instant: MonotonicInstant
    /// The bytes that caches report.
    let managedBytes: Int
    /// Growth of unmanaged memory, bytes a second.
    let growthRate: Int
    /// The number of the notification.
    let sequence: UInt64
    /// The bytes that the allocator retains, where it can tell at once.
    let retainedBytes: Int?
}

/// A step that is over and written down.
struct FinishedStep {
    let step: ReclaimStep
    let origin: RunOrigin
    let problems: [HandlerProblem]
    /// The bytes that it is credited with: also those that were not missing any more when it began.
    let broughtBytes: Int
    /// The speed at which caches can give, by the steps so far.
    let leadTime: LeadTime
}
