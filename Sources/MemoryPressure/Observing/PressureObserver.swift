internal import Dispatch
internal import SystemPackage

#if os(Linux)
    /// Brings the kernel's wake-ups and a timer together with the grader, and announces what comes of it.
    package final class PressureObserver: Sendable {
        /// The parts that are taken from outside.
        package struct Surroundings: Sendable {
            package var root = KernelRoot()
            package var clock: any MonotonicClock = SystemMonotonicClock()
            package var environment: [String: String]
            /// Indicates whether the kernel's wake-ups are asked for. Made-up files have none.
            package var listens = true
            /// Indicates whether a timer runs. Tests that move the time by hand call `look()` instead.
            package var ticks = true

            package init() {
                environment = [:]
                for name in ["MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE"] {
                    environment[name] = ThisProcess.variable(name)
                }
            }
        }

        enum Phase { case idle, active, stopped }

        struct State {
            var phase = Phase.idle
            var timer: Timer?
            var reader: KernelReader?
            /// The reasons why there is no reader.
            var failure: [SourceStatus] = []
            var backOff = BackOff()
            var readerRetry: MonotonicInstant?
            var grader = PressureGrader()
            var lastLimits: MonotonicInstant?
            var lastPaths: MonotonicInstant?
            var lastStall: MonotonicInstant?
            var threshold: UsageThreshold?
        }

        /// A Dispatch timer may be used from any thread; the overlay does not say so.
        struct Timer: @unchecked Sendable {
            let source: any DispatchSourceTimer
        }

        let surroundings: Surroundings
        let queue = DispatchQueue(label: "memory-pressure.source")
        let announce: @Sendable (PressureLevel) -> Void
        let state = Lock(State())
        private let events: Lock<KernelEvents?> = Lock(nil)

        /// - Parameter announce: Called with each level to announce, on a queue of this object's own.
        package init(_ surroundings: Surroundings, announce: @escaping @Sendable (PressureLevel) -> Void) {
            self.surroundings = surroundings
            self.announce = announce
        }

        deinit { stop() }

        var kernelEvents: KernelEvents? { events.withLock { $0 } }

        /// Opens everything; the first look follows on the queue. Once only.
        package func start() {
            let isFirst = state.withLock { state in
                defer { if state.phase == .idle { state.phase = .active } }
                return state.phase == .idle
            }
            guard isFirst else { return }
            state.withLock { makeReader(&$0) }
            if surroundings.listens { listen() }
            if surroundings.ticks { startTimer() }
            // Stopped meanwhile, it would otherwise go on for ever.
            if state.withLock({ $0.phase == .stopped }) { stop() }
        }

        private func listen() {
            let events = KernelEvents(
                root: surroundings.root, queue: queue, clock: surroundings.clock,
                environment: surroundings.environment
            ) { [weak self] event in
                guard let self else { return }
                let interval = look(because: event)
                // At the very crossing a threshold's reading can fall just short of it: the next look is not for the timer's
                // idle step.
                if interval < Self.idleInterval { schedule(after: interval) }
            }
            self.events.withLock { $0 = events }
            events.activate()
        }

        /// Stops everything for good. Idempotent.
        package func stop() {
            let timer = state.withLock { state in
                state.phase = .stopped
                defer {
                    state.timer = nil
                    state.reader = nil
                }
                return state.timer
            }
            timer?.source.cancel()
            events.withLock { events in
                defer { events = nil }
                return events
            }?.cancel()
        }

        /// Every source, used or why not.
        package var statuses: [SourceStatus] {
            let (findings, failure) = state.withLock { ($0.reader?.findings, $0.failure) }
            return (findings?.statuses ?? failure) + (kernelEvents?.statuses ?? [])
        }

        private func startTimer() {
            let timer = Timer(source: DispatchSource.makeTimerSource(queue: queue))
            timer.source.setEventHandler { [weak self] in
                guard let self else { return }
                schedule(after: look())
            }
            let isWanted = state.withLock { state in
                guard state.phase == .active else { return false }
                state.timer = timer
                return true
            }
            timer.source.schedule(deadline: .now())
            timer.source.activate()
            if !isWanted { timer.source.cancel() }
        }

        /// Set again after each look rather than repeating: how long to wait depends on what was seen.
        private func schedule(after interval: Duration) {
            state.withLock { $0.timer }?.source.schedule(
                deadline: .now() + .nanoseconds(Int(interval.nanoseconds)),
                leeway: .nanoseconds(Int(interval.nanoseconds / 20)))
        }
    }
#endif
