internal import MemoryPressure

/// The rules, each with its own memory.
struct Rules {
    /// Every rule, in the order of the numbers. A new one comes last: of equal votes the first one wins, and a replay has to agree.
    static let all: [any Rule.Type] = [
        Headroom.self,
        TimeToLimit.self,
        Stall.self,
        Events.self,
        DistanceToHigh.self,
        Footprint.self,
        External.self,
    ]

    private var memory = all.map { $0.init() }

    /// Returns the highest vote; where nothing calls it is headroom's.
    mutating func vote(_ context: RuleContext, _ configuration: ManagerConfiguration) -> Vote {
        var highest = Headroom.calm(context)
        for index in memory.indices { highest.yield(to: memory[index].vote(context, configuration)) }
        return highest
    }

    /// Tells every rule what was told beside the readings.
    mutating func hear(_ notice: RuleNotice) {
        for index in memory.indices { memory[index].hear(notice) }
    }
}

extension ManagerConfiguration {
    /// The parts that belong to rules, in the order of these.
    var partsOfRules: [any ConfigurationPart] {
        Rules.all.flatMap { $0.settings }.flatMap { $0.parts(in: ruleSettings) }
    }

    /// The settings of the rules by the names of their properties, also of those that are off; for what looks at all of them.
    package var ruleProperties: [(name: String, value: Any)] {
        Rules.all.flatMap { $0.settings }.map { ($0.name, $0.value(in: ruleSettings)) }
    }

    static var partTypesOfRules: [any ConfigurationPart.Type] {
        Rules.all.flatMap { $0.settings }.flatMap { $0.partTypes }
    }
}
