internal import MemoryPressure

/// A recording that was read: its header, and its records in their order.
///
/// Reading is pure and bounded, and takes any bytes: what is damaged or was being written is left out and counted.
package struct RecordingContents: Sendable {
    /// One record.
    package struct Record: Sendable, Equatable {
        /// Its number.
        package var sequence: UInt64
        /// The time when it happened, on the monotonic clock of its machine and boot.
        package var instant: MonotonicInstant
        /// The subject of the record.
        package var kind: RecordKind
        /// At most 224 bytes.
        package var payload: ArraySlice<UInt8>
    }

    /// The run that it is of.
    package var run: RunIdentity
    /// The state of the run; nil where that is damaged.
    package var state: RunState?
    /// The number of records that were begun, as the header has it. In a damaged recording it may be any number.
    package var begun: UInt64
    /// The number of records that found no slot.
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
    /// The activity that was under way last; nil where nothing was recorded.
    package var lastState: (instant: MonotonicInstant, state: FlightState)?
    /// Names of background tasks that were held when that was looked at last; empty where nobody did, or none was held then.
    package var heldTaskNames: [String] = []

    /// Reads a recording.
    ///
    /// - Parameter bytes: The file; of a longer one than 64 MiB and its header the rest is not looked at.
    package init(_ bytes: [UInt8]) throws(RecordingFormatError) {
        let run = try RunIdentity(bytes[...])
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
        let states = Self.kept(.state, bytes, at: RingFormat.statesOffset, count: RingFormat.states)
        for record in states {
            if let state = FlightState(record.payload) { lastState = (record.instant, state) }
        }
        if let held = Self.kept(.held, bytes, at: RingFormat.heldOffset, count: RingFormat.held).last {
            heldTaskNames = held.payload.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        }
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

    /// Returns the whole records of the slots in the header, in its order.
    private static func kept(_ kind: RecordKind, _ bytes: [UInt8], at offset: Int, count: Int) -> [Record] {
        (0..<count).compactMap { index -> Record? in
            let start = offset + index * RingFormat.slotBytes
            let slot = slot(bytes[start..<start + RingFormat.slotBytes], index, of: count)
            if case .record(let record) = slot, record.kind == kind { return record }
            return nil
        }.sorted { $0.sequence < $1.sequence }
    }
}
