internal import Dispatch

#if os(Linux)
    /// The usage thresholds that a v1 cgroup was asked for.
    struct UsageThreshold: Equatable, Sendable {
        var directory: String
        var limitBytes: Int
        /// Indicates whether the kernel took them.
        var isArmed = false

        /// Usage, page cache included, is never less than what cannot be taken back, so that headroom cannot fall below an
        /// entry before usage has passed this.
        var bytes: [Int] {
            let thresholds = HeadroomThresholds(limitBytes: limitBytes)
            return [limitBytes - thresholds.warningEntry, limitBytes - thresholds.criticalEntry]
        }
    }

    extension PressureObserver {
        /// The time between two looks where nothing calls for more.
        static let idleInterval = Duration.seconds(1)
        /// The time between two looks where less than half of the limit is left and nothing else watches over it.
        static let closeInterval = Duration.milliseconds(100)
        /// Stall times read faster than a jiffy are lost.
        private static let stallSpacing = Duration.milliseconds(10)

        /// Takes a reading, grades it, and announces what is new. Gives the time until the next look.
        @discardableResult
        package func look(because event: KernelEvent? = nil) -> Duration {
            let now = surroundings.clock.now
            var hasMoved = false
            var wanted: UsageThreshold?
            let (level, interval): (PressureLevel?, Duration) = state.withLock { state in
                guard state.phase == .active else { return (nil, Self.idleInterval) }
                hasMoved = keepUp(&state, now)
                let reading = read(&state, now)
                wanted = newThreshold(&state, reading)
                let level = state.grader.observe(Self.observation(reading, event, now))
                let interval = Self.interval(reading, state.threshold)
                return (level, state.grader.fallsAt.map { min(interval, now.duration(to: $0)) } ?? interval)
            }
            if let level { announce(level) }
            if hasMoved { kernelEvents?.rediscover() }
            if let wanted { arm(wanted) }
            return interval
        }

        func makeReader(_ state: inout State) {
            do throws(MemoryPressureError) {
                state.reader = try KernelReader(root: surroundings.root)
                state.failure = []
            } catch {
                state.failure = error.statuses
                state.readerRetry = surroundings.clock.now.advanced(by: state.backOff.failed())
            }
        }

        /// Limits and paths, which change now and then; whether the process was moved to another cgroup.
        private func keepUp(_ state: inout State, _ now: MonotonicInstant) -> Bool {
            if state.reader == nil, state.readerRetry.map({ $0 <= now }) ?? true { makeReader(&state) }
            guard let reader = state.reader else { return false }
            if state.lastLimits.map({ $0.duration(to: now) >= .seconds(1) }) ?? true {
                state.lastLimits = now
                reader.refreshLimits()
            }
            guard let last = state.lastPaths else {
                state.lastPaths = now
                return false
            }
            guard last.duration(to: now) >= .seconds(10) else { return false }
            state.lastPaths = now
            guard reader.cgroupHasMoved() else { return false }
            reader.rediscover()
            state.threshold = nil
            return true
        }

        private func read(_ state: inout State, _ now: MonotonicInstant) -> MemoryReading? {
            // Reading a PSI file starves the triggers on it.
            let readsStall =
                !(kernelEvents?.hasLiveTrigger ?? false)
                && state.lastStall.map { $0.duration(to: now) >= Self.stallSpacing } ?? true
            if readsStall { state.lastStall = now }
            return state.reader?.read(.full, at: now, includingStall: readsStall)
        }

        private static func observation(
            _ reading: MemoryReading?, _ event: KernelEvent?, _ now: MonotonicInstant
        ) -> PressureGrader.Observation {
            var observation = PressureGrader.Observation(now: now)
            observation.reading = reading
            switch event?.source {
            case .pressureTrigger: observation.triggerGrade = event?.grade ?? .normal
            case .systemdWatch: observation.externalGrade = event?.grade ?? .normal
            default: break
            }
            return observation
        }

        private static func interval(_ reading: MemoryReading?, _ threshold: UsageThreshold?) -> Duration {
            guard let reading, reading.limitBytes > 0,
                reading.isHeadroomBelow(percent: StallGrade.Thresholds().headroomPercent)
            else {
                return idleInterval
            }
            // Below the threshold the kernel wakes us at the crossing; above it, page cache may be what is in the way, and
            // then nothing tells of more.
            if let threshold, threshold.isArmed, reading.isLimited, threshold.limitBytes == reading.limitBytes,
                let first = threshold.bytes.first, reading.usageBytes < first
            {
                return idleInterval
            }
            return closeInterval
        }

        /// The usage thresholds to ask for, where they are others than those asked for last.
        private func newThreshold(_ state: inout State, _ reading: MemoryReading?) -> UsageThreshold? {
            guard let reading, reading.isLimited, state.threshold?.limitBytes != reading.limitBytes,
                let reader = state.reader, reader.levels.indices.contains(reading.tightestLevel)
            else { return nil }
            let threshold = UsageThreshold(
                directory: reader.levels[reading.tightestLevel].directory, limitBytes: reading.limitBytes)
            state.threshold = threshold
            return threshold
        }

        private func arm(_ threshold: UsageThreshold) {
            guard let events = kernelEvents else { return }
            let isArmed = events.armUsageThresholds(directory: threshold.directory, bytes: threshold.bytes)
            state.withLock { state in
                if state.threshold == threshold { state.threshold?.isArmed = isArmed }
            }
        }
    }
#endif
