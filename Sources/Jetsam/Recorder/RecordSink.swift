internal import MemoryPressure
internal import Synchronization

/// Takes records from whoever decides and whoever does, and keeps them where they are wanted: in the trace, in the flight recorder.
///
/// Recording allocates nothing, calls nothing of the application's and waits for no file: it may be done under the locks of those
/// who record, so that the order of the records is the order in which things were decided.
final class RecordSink: Sendable {
    private let trace: TraceQueue?
    private let hashesNames: Bool
    private let ring = AtomicLazyReference<FlightRecorder>()
    let calledLastResort = Atomic<Bool>(false)
    let drains = Atomic<Bool>(false)

    /// - Parameters:
    ///   - trace: Nil where no trace is wanted.
    ///   - hashesNames: True where names are recorded as a hash alone.
    init(trace: TraceQueue?, hashesNames: Bool = false) {
        self.trace = trace
        self.hashesNames = hashesNames
    }

    /// A name as it may be recorded.
    func name(_ name: String) -> String {
        hashesNames ? NameHash.of(name) : name
    }

    /// Records nothing.
    static let off = RecordSink(trace: nil)

    /// Indicates whether anybody wants records. Otherwise none need be made.
    var isOn: Bool { trace != nil || flight != nil }

    /// The flight recorder, from when it began.
    var flight: FlightRecorder? { ring.load() }

    /// Records in the flight recorder as well from here on. There is one for a recorder's whole life.
    func attach(_ flight: FlightRecorder) {
        _ = ring.storeIfNil(flight)
    }

    func record(_ record: some Record, at instant: MonotonicInstant) {
        let flight = flight
        guard trace != nil || flight != nil else { return }
        unsafe withUnsafeTemporaryAllocation(byteCount: RecordBytes.most, alignment: 8) { place in
            let count = unsafe RecordBytes.write(record, to: place)
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: place[..<count])
            let kind = type(of: record).kind
            unsafe trace?.append(kind, at: instant, bytes)
            guard let flight else { return }
            let kept = RecordBytes.kept(count, in: FlightRecorder.payloadBytes)
            unsafe flight.append(
                RecordKind(rawValue: kind.rawValue), at: instant, UnsafeRawBufferPointer(rebasing: place[..<kept]))
        }
    }

    /// The configuration that is decided by from here on. It does not happen under pressure, and may allocate.
    func record(_ header: TraceHeader, at instant: MonotonicInstant) {
        trace?.append(header, at: instant)
    }

    /// Records the decision that followed from one reading, directly after it.
    func record(_ observation: Decider.Observation, _ decision: Decider.Decision) {
        guard isOn else { return }
        let now = observation.reading.instant
        record(ReadingRecord(observation, interval: decision.interval), at: now)
        var receiver = Receiver(recorder: self, instant: now)
        decision.show(observation.reading, to: &receiver)
    }

    private struct Receiver: RecordReceiver {
        let recorder: RecordSink
        let instant: MonotonicInstant

        mutating func receive(_ record: some Record) {
            recorder.record(record, at: instant)
        }
    }
}

/// Takes records of any kind, one after another. It is no closure because a record in a box would have to be allocated.
package protocol RecordReceiver {
    mutating func receive(_ record: some Record)
}

extension Decider.Decision {
    /// The records of what was decided, in their order: what a replay has to come to as well.
    package func show(_ reading: MemoryReading, to receiver: inout some RecordReceiver) {
        if let record = LevelRecord(self, reading) { receiver.receive(record) }
        if let demand { receiver.receive(DemandRecord(demand)) }
        if let regrowth { receiver.receive(RegrowthRecord(regrowth)) }
        if let ladder { receiver.receive(LadderRecord(ladder, level: level, deficitBytes: leavingDeficit)) }
        if looksAtAllocator { receiver.receive(LookRecord()) }
    }
}
