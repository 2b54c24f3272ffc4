internal import MemoryPressure

/// The answer of a cache to one call.
struct CallAnswer {
    let id: ReclaimRun.CallID
    let client: UInt64
    let askedBytes: Int
    var promisedBytes = 0
    /// The bytes that the calling thread freed; nil where nobody can tell.
    var freedBytes: Int?
    /// The error that the handler threw, as text; nil where it did not throw.
    var error: String?
    let start: MonotonicInstant
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

    func take(_ answer: CallAnswer) {
        guard let late = state.answered(answer) else { return }
        trims.trim(after: answer, isUnmapped: late.isUnmapped)
        host.noteLateAnswer(promisedBytes: late.bytes)
        host.judgeAfterStep()
    }

    /// An error as text, held to a length that a log line can bear.
    static func describe(_ error: any Error) -> String {
        String(String(describing: error).prefix(200)).onOneLine
    }
}
