internal import MemoryPressure

/// The answer of a cache to one call.
struct CallAnswer {
    let id: ReclaimRun.CallID
    let client: UInt64
    let askedBytes: Int
    var promisedBytes = 0
    /// The bytes that the calling thread freed; nil where nobody can tell.
    var freedBytes: Int?
    /// The bytes by which headroom grew during the call, of a cache that is known to give nothing; else 0.
    var gainedBytes = 0
    /// The error that the handler threw, as text; nil where it did not throw.
    var error: String?
    let start: MonotonicInstant

    /// Returns the answer for the ledger, when the step that asked has been written down without it.
    ///
    /// - Parameter isUnmapped: The bytes went straight to the kernel, and have come back for certain; of the rest nobody can tell.
    func lateEntry(isUnmapped: Bool, at now: MonotonicInstant) -> LedgerEntry.Answer {
        let bytes = min(promisedBytes, askedBytes)
        return LedgerEntry.Answer(
            askedBytes: askedBytes, promisedBytes: bytes, freedBytes: freedBytes, returnedBytes: isUnmapped ? bytes : 0,
            duration: start.duration(to: now), failed: error != nil)
    }
}

/// What came of a call after its step had been written down.
struct LateAnswer {
    let bytes: Int
    /// They went to the kernel at once.
    let isUnmapped: Bool
    /// The lead time by this answer.
    let leadTime: LeadTime
}

/// Takes the answers of caches to the run, or to the ledger where they come late.
struct CallAnswers: Sendable {
    private let state: ReclaimState
    private let trims: AllocatorTrims
    private let host: any ReclaimHost

    init(state: ReclaimState, trims: AllocatorTrims, host: any ReclaimHost) {
        self.state = state
        self.trims = trims
        self.host = host
    }

    /// The headroom now, in bytes.
    var headroomBytes: Int { host.measure().headroomBytes }

    func take(_ answer: CallAnswer) {
        guard let late = state.answered(answer) else { return }
        trims.trim(after: answer, isUnmapped: late.isUnmapped)
        host.noteLeadTime(late.leadTime)
        host.noteLateAnswer(promisedBytes: late.bytes)
        host.judgeAfterStep()
    }

    /// An error as text, held to a length that a log line can bear.
    static func describe(_ error: any Error) -> String {
        String(String(describing: error).prefix(200)).onOneLine
    }
}
