internal import Logging
internal import MemoryPressure

extension LeaveForecast {
    /// One sentence, and what follows from it.
    func message(isDryRun: Bool) -> String {
        let leaving = Duration.nanoseconds(leavingNanoseconds).shortText
        let growth =
            "Unmanaged memory grows by \(ByteCount(growthRate)) a second, and a shutdown takes \(leaving)"
        let lack =
            "until then \(ByteCount(neededBytes)) are needed, \(ByteCount(missingBytes)) more than there are, even if all caches give"
        return "\(growth): \(lack). The process \(isDryRun ? "would shut down" : "shuts down") unless that changes"
    }

    var metadata: Logger.Metadata {
        [
            "growthRate": "\(growthRate)", "leavingMilliseconds": "\(leavingNanoseconds / 1_000_000)",
            "neededBytes": "\(neededBytes)", "missingBytes": "\(missingBytes)",
        ]
    }
}
