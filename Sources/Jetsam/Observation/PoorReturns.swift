internal import MemoryPressure

/// Finds caches that give what does not come back as memory, to say so once of each: their values share pages with what stays, or
/// their handlers answer what they do not give.
struct PoorReturns {
    struct Finding: Equatable {
        var name: String
        var promisedBytes: Int
        var returnedBytes: Int
        /// Next to nothing came back, step after step: it is not counted on any more.
        var isEmpty = false

        /// One line for the log.
        var message: String {
            isEmpty ? emptyMessage : poorMessage
        }

        private var emptyMessage: String {
            let returned = returnedBytes == 0 ? "nothing" : "\(ByteCount(returnedBytes))"
            return """
                Cache '\(name.onOneLine)' promised \(ByteCount(promisedBytes)), returned \(returned): it is not counted on, and asked \
                last. Its handler answers what it does not give, or its values lie among others that stay. PurgeableByteCache has \
                pages of its own
                """
        }

        private var poorMessage: String {
            """
            Cache '\(name.onOneLine)' gives up memory that does not come back: \(ByteCount(returnedBytes)) of \
            \(ByteCount(promisedBytes)). Its values lie among others that stay. PurgeableByteCache has pages of its own
            """
        }
    }

    private struct Sum {
        var promisedBytes = 0
        var returnedBytes = 0
        /// The steps that these bytes are of.
        var steps = 0
        /// Steps in a row that brought next to nothing, what was promised in them, and what came back.
        var empty = (steps: 0, promisedBytes: 0, returnedBytes: 0)
        var isTold = false

        /// Counts a part of a step that brought next to nothing. Returns what is to be said where that happened once more.
        mutating func countEmpty(_ part: ReclaimStep.Part) -> Finding? {
            guard part.broughtNothing else {
                if part.returnedBytes > 0 { empty = (0, 0, 0) }
                return nil
            }
            empty.steps += 1
            empty.promisedBytes = empty.promisedBytes.addingSaturating(part.promisedBytes)
            empty.returnedBytes = empty.returnedBytes.addingSaturating(part.returnedBytes)
            guard !isTold, part.isHollow, empty.steps >= PoorReturns.leastSteps else { return nil }
            isTold = true
            return Finding(
                name: part.name, promisedBytes: empty.promisedBytes, returnedBytes: empty.returnedBytes, isEmpty: true)
        }
    }

    /// What one step seems to show may be growth that began in it.
    private static let leastSteps = 2

    /// Less promised says nothing.
    private static let enoughBytes = 32 << 20
    /// This is the part that the log says comes back.
    private static let fairShare = 4
    /// More names are not kept.
    private static let mostNames = 1024

    private var sums: [String: Sum] = [:]

    /// Takes a finished step, and gives what is to be said.
    mutating func add(_ step: ReclaimStep) -> [Finding] {
        guard step.stage == .caches, !step.isDryRun else { return [] }
        // Before a trim nobody can tell where it is, nor while others grow.
        let tells = step.didTrim && !step.isDisturbed
        var findings: [Finding] = []
        for part in step.parts where sums[part.name] != nil || sums.count < Self.mostNames {
            var sum = sums[part.name] ?? Sum()
            defer { sums[part.name] = sum }
            if let finding = sum.countEmpty(part) { findings.append(finding) }
            // A burst may have taken the bytes of a step that brought nothing, unless the ledger has found the cache to be hollow.
            guard tells, !part.broughtNothing || part.isHollow else { continue }
            sum.steps += 1
            sum.promisedBytes = sum.promisedBytes.addingSaturating(part.promisedBytes)
            sum.returnedBytes = sum.returnedBytes.addingSaturating(part.returnedBytes)
            if !sum.isTold, sum.steps >= Self.leastSteps, sum.promisedBytes >= Self.enoughBytes,
                sum.returnedBytes < sum.promisedBytes / Self.fairShare
            {
                sum.isTold = true
                findings.append(
                    Finding(name: part.name, promisedBytes: sum.promisedBytes, returnedBytes: sum.returnedBytes))
            }
        }
        return findings
    }
}
