internal import Logging
internal import MemoryPressure

extension LeaveForecast {
    /// One sentence, and what follows from it.
    func message(isDryRun: Bool) -> String {
        let seconds = (leavingNanoseconds + 500_000_000) / 1_000_000_000
        let growth =
            "Memory beside the caches grows by \(ByteCount(growthRate)) a second, and leaving takes \(seconds) s"
        let lack =
            "until then \(ByteCount(neededBytes)) are needed, \(ByteCount(missingBytes)) more than there are, caches included"
        return "\(growth): \(lack). The process \(isDryRun ? "would leave" : "leaves") unless that changes"
    }

    var metadata: Logger.Metadata {
        [
            "growthRate": "\(growthRate)", "leavingMilliseconds": "\(leavingNanoseconds / 1_000_000)",
            "neededBytes": "\(neededBytes)", "missingBytes": "\(missingBytes)",
        ]
    }
}
