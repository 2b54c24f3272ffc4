internal import CLinuxShims

/// The layout of a recording: see Documentation/FlightRecorderFormat.md. Pure.
enum RingFormat {
    /// The letters, and the ends of lines in both manners, which a transfer as text would change.
    static let magic: [UInt8] = [0x4A, 0x54, 0x46, 0x52, 0x0D, 0x0A, 0x1A, 0x0A]
    static let version: UInt32 = 1
    static let headerBytes = Int(JETSAM_RING_HEADER_BYTES)
    static let slotBytes = Int(JETSAM_RING_SLOT_BYTES)
    static let payloadOffset = Int(JETSAM_RING_PAYLOAD_AT)
    static let payloadBytes = Int(JETSAM_RING_PAYLOAD_BYTES)
    static let cursorOffset = Int(JETSAM_RING_CURSOR_AT)
    static let stateOffset = Int(JETSAM_RING_STATE_AT)
    static let droppedOffset = Int(JETSAM_RING_DROPPED_AT)
    static let statesOffset = Int(JETSAM_RING_STATES_AT)
    static let states = Int(JETSAM_RING_STATES)
    static let heldOffset = Int(JETSAM_RING_HELD_AT)
    static let held = Int(JETSAM_RING_HELD)
    /// The most slots that the configuration allows.
    static let mostSlots = (64 << 20) / slotBytes
    /// The longest file that is one of ours.
    static let mostBytes = headerBytes + mostSlots * slotBytes

    /// The checksum of a record: four lanes of which each word changes one, so that no change of a single word goes unseen.
    static func checksum(
        sequence: UInt64, time: Int64, description: UInt64, payload: ArraySlice<UInt8>
    ) -> UInt64 {
        var lanes: (UInt64, UInt64, UInt64, UInt64) = (
            sequence &* factor, mixed(1, UInt64(bitPattern: time)), mixed(2, description), 3 &* factor
        )
        var index = payload.startIndex
        var word = 0
        while index < payload.endIndex {
            let end = min(index + 8, payload.endIndex)
            var value: UInt64 = 0
            for position in index..<end { value |= UInt64(payload[position]) << UInt64((position - index) * 8) }
            switch word & 3 {
            case 0: lanes.0 = mixed(lanes.0, value)
            case 1: lanes.1 = mixed(lanes.1, value)
            case 2: lanes.2 = mixed(lanes.2, value)
            default: lanes.3 = mixed(lanes.3, value)
            }
            word += 1
            index = end
        }
        let sum = mixed(mixed(mixed(lanes.0, lanes.1), lanes.2), lanes.3)
        return sum ^ sum >> 32
    }

    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        let value = lane ^ word
        return (value << 29 | value >> 35) &* factor
    }
}

extension ArraySlice<UInt8> {
    /// The little-endian number at an offset from the start; the caller knows that it is there.
    package func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
        var value: Number = 0
        for byte in 0..<Number.bitWidth / 8 {
            value |= Number(truncatingIfNeeded: self[startIndex + offset + byte]) << Number(byte * 8)
        }
        return value
    }
}

extension [UInt8] {
    /// Writes a number in little-endian over the bytes at an offset.
    package mutating func set<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
        for byte in 0..<Number.bitWidth / 8 { self[offset + byte] = UInt8(truncatingIfNeeded: number >> (byte * 8)) }
    }
}
