internal import MemoryPressure

/// Finds caches that give what does not come back as memory, to say so once of each: their values share pages with what stays.
struct PoorReturns {
    struct Finding: Equatable {
        var name: String
        var promisedBytes: Int
        var returnedBytes: Int

        /// One line for the log.
        var message: String {
            """
            Cache '\(name.onOneLine)' gives up memory that does not come back: \(ByteCount(returnedBytes)) of \
            \(ByteCount(promisedBytes)). Its values lie among others that stay. PurgeableByteCache has pages of its own
            """
        }
    }

    private struct Sum {
        var promisedBytes = 0
        var returnedBytes = 0
        var isTold = false
    }

    /// Less promised says nothing.
    private static let enoughBytes = 32 << 20
    /// Of this part it is said that it comes back.
    private static let fairShare = 4
    /// More names are not kept.
    private static let mostNames = 1024

    private var sums: [String: Sum] = [:]

    /// Takes a finished step, and gives what is to be said.
    mutating func add(_ step: ReclaimStep) -> [Finding] {
        // Before a trim nobody can tell where it is, nor while others grow.
        guard step.stage == .caches, step.didTrim, !step.isDryRun, !step.isDisturbed else { return [] }
        var findings: [Finding] = []
        for part in step.parts where sums[part.name] != nil || sums.count < Self.mostNames {
            var sum = sums[part.name] ?? Sum()
            sum.promisedBytes = sum.promisedBytes.addingSaturating(part.promisedBytes)
            sum.returnedBytes = sum.returnedBytes.addingSaturating(part.returnedBytes)
            if !sum.isTold, sum.promisedBytes >= Self.enoughBytes,
                sum.returnedBytes < sum.promisedBytes / Self.fairShare
            {
                sum.isTold = true
                findings.append(
                    Finding(name: part.name, promisedBytes: sum.promisedBytes, returnedBytes: sum.returnedBytes))
            }
            sums[part.name] = sum
        }
        return findings
    }
}
