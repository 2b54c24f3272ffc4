import Jetsam
import MemoryPressure

extension WorldPlan: CustomStringConvertible {
    var description: String {
        var limits = ["limit \(ByteCount(limitBytes))"]
        if let highBytes { limits.append("memory.high \(ByteCount(highBytes))") }
        if !heldLevels.isEmpty { limits.append("\(heldLevels.count) held levels") }
        return ([limits.joined(separator: ", ")] + servers.map(\.description)).joined(separator: "\n")
    }
}

extension SimulatedServer.Plan: CustomStringConvertible {
    var description: String {
        var words = ["base \(ByteCount(baseBytes))", "\(sceneCount) scenes"]
        if configuration.isDryRun { words.append("dry run") }
        if configuration.ladder.takesScenes { words.append("takes scenes") }
        if let budget = configuration.footprint { words.append("budget \(ByteCount(budget.budgetBytes))") }
        if hasLastResort { words.append("has a last resort") }
        words.append("allocator keeps \(Int(retainedShare * 100)) %")
        return (["\(name): \(words.joined(separator: ", "))"] + caches.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension SimulatedCache.Plan: CustomStringConvertible {
    var description: String {
        var words = [
            "wants \(ByteCount(wantedBytes))", "grows \(ByteCount(growthRate))/s",
            "gives \(ByteCount(releaseRate))/s after \(latency / 1000) us",
        ]
        if isAsynchronous { words.append("asynchronous") }
        words += traits.words
        return "\(name) (\(priority)): \(words.joined(separator: ", "))"
    }
}
