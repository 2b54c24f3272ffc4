internal import CommandOutput
internal import JetsamTrace
internal import MemoryPressure

/// What a process said of itself, ready to be shown: texts hold nothing that a terminal would obey, and what is missing is
/// left out rather than made up.
struct Snapshot {
    struct Cache: Equatable {
        var name = ""
        var priority = ""
        var bytes = 0
        var limitBytes: Int?
        var promisedBytes = 0
        var freedBytes: Int?
        var returnedBytes = 0
    }

    struct HeldTask: Equatable {
        var name = ""
        var origin = ""
        var priority = ""
        var state = ""
        var ageSeconds = 0.0
        /// Nil where it never told progress.
        var sinceProgressSeconds: Double?
        /// Nil where it is not overdue.
        var overdueSeconds: Double?
    }

    struct Step: Equatable {
        var stage = ""
        var number = 0
        var level = ""
        var targetBytes = 0
        var promisedBytes = 0
        var returnedBytes = 0
        var victimCount = 0
        var isDisturbed = false
        var isDryRun = false
        var seconds = 0.0
        var agoSeconds = 0.0
    }

    /// Its number here.
    var process = 0
    /// Its number as it sees itself, where that is another.
    var innerProcess: Int?
    var uptimeSeconds: Double?
    var isDryRun = false
    var level = ""
    var reason: String?
    var state = ""
    var isReady = false
    var isShuttingDown = false

    var limitBytes = 0
    var isLimited = true
    var usageBytes = 0
    var unreclaimableBytes = 0
    var headroomBytes = 0
    var warningBytes = 0
    var criticalBytes = 0
    var footprintBytes = 0
    /// The process's own budget, and where its levels begin; nil where it has none.
    var budget: (bytes: Int, warningBytes: Int, criticalBytes: Int)?
    var stallPercent = 0
    var readings = 0

    var caches: [Cache] = []
    var cacheCount = 0
    var tasks: [String: Int] = [:]
    var oldestTasks: [HeldTask] = []
    var scenes: [(state: String, count: Int)] = []
    var scenesLost = 0
    var scenesRefused = 0
    /// The newest last.
    var steps: [Step] = []
    var stepCount = 0
    var promisedBytes = 0
    var returnedBytes = 0
    /// Nil where the process does not tell.
    var wastedBytes: Int?

    init() {}

    /// - Parameters:
    ///   - status: What stands under `status` in an answer.
    ///   - asked: The process that was asked, by its number here.
    init(_ status: JSONText, of asked: Int32) {
        process = Int(asked)
        innerProcess = status["pid"]?.integer.flatMap { $0 == Int(asked) ? nil : $0 }
        uptimeSeconds = status["uptimeSeconds"]?.number
        isDryRun = status["isDryRun"]?.bool ?? false
        level = status.text("level")
        reason = status["reason"]?.string.map(TerminalText.clean)
        setReading(status["reading"] ?? .null)
        if let process = status["process"] {
            state = process.text("state")
            isReady = process["isReady"]?.bool ?? false
            isShuttingDown = process["isShuttingDown"]?.bool ?? false
        }
        caches = (status["caches"]?.elements ?? []).map(Cache.init)
        cacheCount = max(status.count("cacheCount"), caches.count)
        if let tasks = status["backgroundTasks"] {
            for (key, value) in tasks.pairs { if let count = value.integer { self.tasks[key] = count } }
            oldestTasks = (tasks["oldest"]?.elements ?? []).map(HeldTask.init)
        }
        if let scenes = status["scenes"] {
            self.scenes = (scenes["connected"]?.pairs ?? []).map { (TerminalText.clean($0.0), $0.1.integer ?? 0) }
            scenesLost = scenes.count("lost")
            scenesRefused = scenes.count("refused")
        }
        steps = (status["steps"]?.elements ?? []).map(Step.init)
        if let totals = status["totals"] {
            stepCount = totals.count("steps")
            promisedBytes = totals.count("promisedBytes")
            returnedBytes = totals.count("returnedBytes")
            if totals["wastedBytes"]?.integer != nil { wastedBytes = totals.count("wastedBytes") }
        }
    }

    private mutating func setReading(_ reading: JSONText) {
        limitBytes = reading.count("limitBytes")
        isLimited = reading["isLimited"]?.bool ?? false
        usageBytes = reading.count("usageBytes")
        unreclaimableBytes = reading.count("unreclaimableBytes")
        headroomBytes = reading.count("headroomBytes")
        warningBytes = reading.count("warningBytes")
        criticalBytes = reading.count("criticalBytes")
        footprintBytes = reading.count("footprintBytes")
        if reading["footprintBudgetBytes"]?.integer != nil {
            budget = (
                reading.count("footprintBudgetBytes"), reading.count("footprintWarningBytes"),
                reading.count("footprintCriticalBytes")
            )
        }
        stallPercent = reading.count("stallPercent")
        readings = reading.count("readings")
    }
}

extension Snapshot.Cache {
    fileprivate init(_ value: JSONText) {
        name = value.text("name")
        priority = value.text("priority")
        bytes = value.count("reportedBytes")
        limitBytes = value["limitBytes"]?.integer
        promisedBytes = value.count("promisedBytes")
        freedBytes = value["freedBytes"]?.integer
        returnedBytes = value.count("returnedBytes")
    }
}

extension Snapshot.HeldTask {
    fileprivate init(_ value: JSONText) {
        name = value.text("name")
        origin = value.text("origin")
        priority = value.text("priority")
        state = value.text("state")
        ageSeconds = value.seconds("ageSeconds")
        if value["sinceProgressSeconds"]?.number != nil { sinceProgressSeconds = value.seconds("sinceProgressSeconds") }
        if value["overdueSeconds"]?.number != nil { overdueSeconds = value.seconds("overdueSeconds") }
    }
}

extension Snapshot.Step {
    fileprivate init(_ value: JSONText) {
        stage = value.text("stage")
        number = value.count("step")
        level = value.text("level")
        targetBytes = value.count("targetBytes")
        promisedBytes = value.count("promisedBytes")
        returnedBytes = value.count("returnedBytes")
        victimCount = value.count("victimCount")
        isDisturbed = value["isDisturbed"]?.bool ?? false
        isDryRun = value["isDryRun"]?.bool ?? false
        seconds = value.seconds("durationSeconds")
        agoSeconds = value.seconds("agoSeconds")
    }
}

extension JSONText {
    fileprivate func text(_ key: String) -> String { TerminalText.clean(self[key]?.string ?? "") }
    /// No number that arithmetic could stumble over, whoever answered.
    fileprivate func count(_ key: String) -> Int { min(max(0, self[key]?.integer ?? 0), 1 << 53) }
    fileprivate func seconds(_ key: String) -> Double { min(max(0, self[key]?.number ?? 0), 1e9) }
}
