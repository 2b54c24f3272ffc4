internal import CommandOutput
internal import MemoryPressure

/// What came of one run.
struct SurvivalResult: Equatable {
    var disturbance = ""
    var who = Way.nothing
    /// Whether the kernel killed a process of the group, or a server ended by a signal or with a failure.
    var killed = false
    /// Whether the server left in order before the run's end, and no background work was cut short.
    var left = false
    /// The budget of an LRU cache, in bytes; nil for the other ways.
    var budgetBytes: Int?
    /// Requests that were not answered as they should, as a part of those that could have been. From 0 to 1.
    var failedShare = 0.0
    var p99Milliseconds: Double?
    /// From 0 to 1, from the disturbance's beginning on; nil where the server was killed. Likewise the next.
    var hitRate: Double?
    var requestsPerCPUSecond: Double?
    var releasedBytes = 0
    var neededBytes = 0
    var refetchedBytes = 0
    var wastedBytes = 0
    var episodes = 0
    /// What the manager's threads took of the server's CPU time; nil where there is none. From 0 to 1.
    var managerCPUShare: Double?
    /// What the cache held at the end, in bytes, of several servers the one that held least; nil where the server was killed,
    /// or does not know.
    var leastCacheBytes: Int?
    /// The time at that level from the disturbance's beginning on, the mean of the servers; nil where there is no manager.
    var warningSeconds: Double?
    var criticalSeconds: Double?
    /// Bytes that were free when the disturbance began.
    var headroomAtStart = 0
    var seconds = 0.0
    /// How long the caches took to fill up to where the disturbance begins; nil where it began, or the run ended, before that.
    var fillSeconds: Double?

    var wastedShare: Double { releasedBytes > 0 ? Double(wastedBytes) / Double(releasedBytes) : 0 }
}

extension SurvivalResult {
    var json: JSONText {
        .object([
            ("disturbance", .string(disturbance)), ("who", .string(who.rawValue)), ("killed", .bool(killed)),
            ("left", .bool(left)), ("budgetBytes", .integer(budgetBytes)), ("failedShare", .number(failedShare)),
            ("p99Milliseconds", .number(p99Milliseconds)), ("hitRate", .fraction(hitRate)),
            ("requestsPerCPUSecond", .number(requestsPerCPUSecond)), ("releasedBytes", .integer(releasedBytes)),
            ("neededBytes", .integer(neededBytes)), ("refetchedBytes", .integer(refetchedBytes)),
            ("wastedBytes", .integer(wastedBytes)), ("episodes", .integer(episodes)),
            ("managerCPUShare", .fraction(managerCPUShare)), ("leastCacheBytes", .integer(leastCacheBytes)),
            ("warningSeconds", .number(warningSeconds)), ("criticalSeconds", .number(criticalSeconds)),
            ("headroomAtStart", .integer(headroomAtStart)),
            ("seconds", .number(seconds)), ("fillSeconds", .number(fillSeconds)),
        ])
    }

    /// Nil where it is no run of a way that there is.
    init?(_ json: JSONText) {
        guard let disturbance = json["disturbance"]?.string, let who = json["who"]?.string.flatMap(Way.init),
            let killed = json["killed"]?.bool
        else { return nil }
        func integer(_ key: String) -> Int { json[key]?.integer ?? 0 }
        self.disturbance = disturbance
        self.who = who
        self.killed = killed
        left = json["left"]?.bool ?? false
        budgetBytes = json["budgetBytes"]?.integer
        failedShare = json["failedShare"]?.number ?? 0
        p99Milliseconds = json["p99Milliseconds"]?.number
        hitRate = json["hitRate"]?.number
        requestsPerCPUSecond = json["requestsPerCPUSecond"]?.number
        releasedBytes = integer("releasedBytes")
        neededBytes = integer("neededBytes")
        refetchedBytes = integer("refetchedBytes")
        wastedBytes = integer("wastedBytes")
        episodes = integer("episodes")
        managerCPUShare = json["managerCPUShare"]?.number
        leastCacheBytes = json["leastCacheBytes"]?.integer
        warningSeconds = json["warningSeconds"]?.number
        criticalSeconds = json["criticalSeconds"]?.number
        headroomAtStart = integer("headroomAtStart")
        seconds = json["seconds"]?.number ?? 0
        fillSeconds = json["fillSeconds"]?.number
    }
}

extension JSONText {
    /// With three decimals; null where there is none.
    static func number(_ value: Double?) -> JSONText { value.map { .number($0) } ?? .null }

    /// A share from 0 to 1 with three decimals; null where there is none.
    static func fraction(_ value: Double?) -> JSONText { .number(value) }
}
