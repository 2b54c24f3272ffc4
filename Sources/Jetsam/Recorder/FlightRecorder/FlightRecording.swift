package import MemoryPressure

/// A recording that was read: its header, and its records in their order.
///
/// Reading is pure and bounded, and takes any bytes: what is damaged or was being written is left out and counted.
package struct FlightRecording: Sendable {
    /// One record.
    package struct Record: Sendable, Equatable {
        /// Its number.
        package var sequence: UInt64
        /// When it happened, on the monotonic clock of its machine and boot.
        package var instant: MonotonicInstant
        /// What it is about.
        package var kind: RecordKind
        /// At most 224 bytes.
        package var payload: ArraySlice<UInt8>
    }

    /// The run that it is of.
    package var run: RecordedRun
    /// How the run stands; nil where that is damaged.
    package var state: RunState?
    /// How many records were begun, as the header has it: what is damaged may say anything here.
    package var begun: UInt64
    /// How many records found no slot.
    package var dropped: UInt64
    /// The records that are whole, in their order.
    package var records: [Record] = []
    /// Slots whose record was being written when the process ended, or is damaged.
    package var torn = 0
    /// Numbers between the first and the last record for which there is none: those that are torn, and those that were skipped
    /// because another thread was still writing there.
    package var missing: UInt64 = 0
    /// Slots that the file is too short to hold.
    package var lostSlots = 0
    /// What was under way last; nil where nothing was recorded.
    package var lastState: (instant: MonotonicInstant, state: FlightState)?

    /// Reads a recording.
    ///
    /// - Parameter bytes: The file; of a longer one than 64 MiB and its header the rest is not looked at.
    package init(_ bytes: [UInt8]) throws(FlightRecordingError) {
        let run = try RecordedRun(bytes[...])
        self.run = run
        state = RunState(word: bytes[...].number(at: RingFormat.stateOffset))
        begun = bytes[...].number(at: RingFormat.cursorOffset)
        dropped = bytes[...].number(at: RingFormat.droppedOffset)
        let there = min(run.slots, (bytes.count - RingFormat.headerBytes) / RingFormat.slotBytes)
        lostSlots = run.slots - there
        for index in 0..<there {
            let start = RingFormat.headerBytes + index * RingFormat.slotBytes
            switch Self.slot(bytes[start..<start + RingFormat.slotBytes], index, of: run.slots) {
            case .empty: break
            case .torn: torn += 1
            case .record(let record): records.append(record)
            }
        }
        records.sort { $0.sequence < $1.sequence }
        if let first = records.first, let last = records.last {
            missing = last.sequence - first.sequence + 1 - UInt64(records.count)
        }
        lastState = Self.lastState(bytes, records)
    }

    private enum Slot {
        case empty, torn
        case record(Record)
    }

    private static func slot(_ bytes: ArraySlice<UInt8>, _ index: Int, of slots: Int) -> Slot {
        let stamp: UInt64 = bytes.number(at: 0)
        if stamp == 0 { return .empty }
        let sequence = stamp >> 1
        guard stamp & 1 == 0, sequence > 0, (sequence - 1) % UInt64(slots) == UInt64(index) else { return .torn }
        let time: Int64 = bytes.number(at: 8)
        let description: UInt64 = bytes.number(at: 24)
        let length = Int(truncatingIfNeeded: description >> 16 & 0xFFFF)
        guard description >> 32 == 0, length <= RingFormat.payloadBytes else { return .torn }
        let payload = bytes.dropFirst(RingFormat.payloadOffset).prefix(length)
        let sum = RingFormat.checksum(sequence: sequence, time: time, description: description, payload: payload)
        guard sum == bytes.number(at: 16) else { return .torn }
        return .record(
            Record(
                sequence: sequence, instant: MonotonicInstant(nanoseconds: time),
                kind: RecordKind(rawValue: UInt16(truncatingIfNeeded: description)), payload: payload))
    }

    /// The latest of what is kept in the header, where it is whole; else of what is among the records.
    private static func lastState(_ bytes: [UInt8], _ records: [Record]) -> (MonotonicInstant, FlightState)? {
        var latest: (sequence: UInt64, instant: MonotonicInstant, state: FlightState)?
        for index in 0..<RingFormat.keptSlots {
            let start = RingFormat.keptOffset + index * RingFormat.slotBytes
            let slot = slot(bytes[start..<start + RingFormat.slotBytes], index, of: RingFormat.keptSlots)
            guard case .record(let record) = slot, record.kind == .state, let state = FlightState(record.payload),
                record.sequence > latest?.sequence ?? 0
            else { continue }
            latest = (record.sequence, record.instant, state)
        }
        if let latest { return (latest.instant, latest.state) }
        for record in records.reversed() where record.kind == .state {
            if let state = FlightState(record.payload) { return (record.instant, state) }
        }
        return nil
    }
}
