internal import MemoryPressure

/// One connection's way from the request to the end of the answer. It does no I/O and has no clock.
struct ControlConversation {
    enum Action: Equatable {
        /// Nothing is to be done before the next thing happens.
        case wait
        /// The request is complete.
        case perform(ControlRequest)
        /// It is over: close the connection.
        case close
    }

    private enum Phase {
        /// The line is not complete; what has come of it.
        case reading([UInt8])
        /// The request is being carried out.
        case performing
        /// The answer is on its way; what is left of it.
        case writing(ArraySlice<UInt8>)
    }

    /// The time that a peer may take to send its line.
    static let readingTime = Duration.seconds(2)
    /// The time that a request may take to be carried out.
    static let performingTime = Duration.seconds(30)
    /// The time that a peer may take to read the answer.
    static let writingTime = Duration.seconds(5)

    private var phase = Phase.reading([])
    /// The time from which the peer is waited for no longer.
    private(set) var deadline: MonotonicInstant

    init(at now: MonotonicInstant) {
        deadline = now.advanced(by: Self.readingTime)
    }

    /// One that only hears why.
    init(refusing refusal: ControlRefusal, at now: MonotonicInstant) {
        self.init(at: now)
        answer(refusal.answer.bytes, at: now)
    }

    var wantsInput: Bool { if case .reading = phase { true } else { false } }

    /// The bytes to send; empty where there are none.
    var output: ArraySlice<UInt8> { if case .writing(let bytes) = phase { bytes } else { [] } }

    /// Bytes came from the peer; none is the end of its stream.
    mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> Action {
        guard case .reading(var line) = phase else { return .wait }
        if bytes.isEmpty { return .close }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            line += bytes
            phase = .reading(line)
            if line.count >= ControlRequest.maximumBytes { refuse(.tooLong, at: now) }
            return .wait
        }
        // What comes behind the line is not looked at: one request a connection.
        line += bytes[..<end]
        do throws(ControlRefusal) {
            let request = try ControlRequest(line)
            phase = .performing
            deadline = now.advanced(by: Self.performingTime)
            return .perform(request)
        } catch {
            refuse(error, at: now)
            return .wait
        }
    }

    /// The request has been carried out. Without effect where nobody waits for it any more.
    mutating func finish(_ answer: [UInt8], at now: MonotonicInstant) {
        if case .performing = phase { self.answer(answer, at: now) }
    }

    /// So many bytes of ``output`` were sent.
    mutating func sent(_ count: Int) -> Action {
        guard case .writing(let bytes) = phase else { return .wait }
        let rest = bytes.dropFirst(count)
        phase = .writing(rest)
        return rest.isEmpty ? .close : .wait
    }

    /// The deadline has passed: whoever is late hears so once, where that can still be sent.
    mutating func expire(at now: MonotonicInstant) -> Action {
        guard now >= deadline else { return .wait }
        switch phase {
        case .reading: refuse(.late, at: now)
        case .performing: refuse(.slow, at: now)
        case .writing: return .close
        }
        return .wait
    }

    private mutating func refuse(_ refusal: ControlRefusal, at now: MonotonicInstant) {
        answer(refusal.answer.bytes, at: now)
    }

    private mutating func answer(_ bytes: [UInt8], at now: MonotonicInstant) {
        phase = .writing(bytes[...])
        deadline = now.advanced(by: Self.writingTime)
    }
}
