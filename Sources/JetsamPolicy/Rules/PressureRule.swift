package import MemoryPressure

/// A named test on readings that votes for a level. Others may be added: give a `switch` a `default`.
///
/// The names and raw values are part of the formats of traces and recordings.
public enum PressureRule: UInt8, Sendable {
    /// Bytes until the tightest hard limit.
    case headroom
    /// Headroom ÷ growth of unmanaged memory.
    case timeToLimit
    /// The share of time in which tasks waited for memory.
    case stall
    /// New events of the cgroup.
    case events
    /// The distance to `memory.high`.
    case distanceToHigh
    /// The process's own budget.
    case footprint
    /// systemd's watch, a simulation, or the operator.
    case external

    /// Every rule, in the order of the numbers.
    package static let all = (0..<UInt8.max).compactMap { PressureRule(rawValue: $0) }

    /// The type that votes by that name. Each has a file of its own, beside this one.
    var type: any Rule.Type {
        switch self {
        case .headroom: Headroom.self
        case .timeToLimit: TimeToLimit.self
        case .stall: Stall.self
        case .events: Events.self
        case .distanceToHigh: DistanceToHigh.self
        case .footprint: Footprint.self
        case .external: External.self
        }
    }

    /// Returns whether any rule can tell with these sources how much is left.
    package static func knowsRoom(
        _ isUsed: (MemorySignalSource) -> Bool, _ configuration: ManagerConfiguration
    ) -> Bool {
        all.contains { $0.type.knowsRoom(isUsed, configuration) }
    }
}

/// The rules, each with its own memory.
struct Rules {
    private var headroom = Headroom()
    var timeToLimit: TimeToLimit
    private(set) var stall = Stall()
    private(set) var events = Events()
    private var distanceToHigh = DistanceToHigh()
    var footprint = Footprint()
    var external = External()

    init(_ configuration: ManagerConfiguration) {
        timeToLimit = TimeToLimit(configuration)
    }

    /// Returns the highest vote; of equal ones that of the first, so that a replay agrees. Where nothing calls it is headroom's.
    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote {
        var context = context
        // What one rule sees and another asks for comes first.
        events.observe(context.reading)
        context.showsShortage = events.showsShortage(context.reading, configuration)
        let stalled = stall.vote(context, configuration)
        context.isStalled = stall.isVoting

        var highest = Headroom.calm(context)
        highest.yield(to: headroom.vote(context, configuration))
        highest.yield(to: timeToLimit.vote(context, configuration))
        highest.yield(to: stalled)
        highest.yield(to: events.vote(context, configuration))
        highest.yield(to: distanceToHigh.vote(context, configuration))
        highest.yield(to: footprint.vote(context, configuration))
        highest.yield(to: external.vote(context, configuration))
        return highest
    }

    /// The process did not run for a while.
    mutating func forget() {
        headroom.forget()
        timeToLimit.forget()
        stall.forget()
        events.forget()
        distanceToHigh.forget()
        footprint.forget()
        external.forget()
    }
}
