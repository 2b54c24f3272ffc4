/// At most one event an interval; what comes in between is merged into one that comes at the interval's end.
struct RateLimit: Sendable {
    /// The ways to treat an event.
    enum Action: Equatable {
        case deliver(KernelEvent)
        /// Keep it; call `due` after this long.
        case wait(Duration)
        /// It was merged into one that is waiting already.
        case merged
    }

    let interval: Duration
    private var lastDelivery: MonotonicInstant?
    private var waiting: KernelEvent?

    init(interval: Duration = .milliseconds(10)) {
        self.interval = interval
    }

    /// An event happened.
    mutating func add(_ event: KernelEvent, at now: MonotonicInstant) -> Action {
        if let earlier = waiting {
            var merged = event
            merged.grade = max(earlier.grade, event.grade)
            waiting = merged
            return .merged
        }
        if let lastDelivery {
            let passed = lastDelivery.duration(to: now)
            if passed < interval {
                waiting = event
                return .wait(interval - passed)
            }
        }
        lastDelivery = now
        return .deliver(event)
    }

    /// The wait is over: the event to deliver.
    mutating func due(at now: MonotonicInstant) -> KernelEvent? {
        defer { waiting = nil }
        if waiting != nil { lastDelivery = now }
        return waiting
    }
}
