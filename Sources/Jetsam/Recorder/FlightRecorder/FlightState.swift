internal import MemoryPressure

/// The activity that was under way at one instant: the payload of a record of kind ``RecordKind/state``.
///
/// | at | bytes | |
/// |---|---|---|
/// | 0 | 1 | 1, the version of this layout |
/// | 1 | 1 | level: 0 normal, 1 warning, 2 critical |
/// | 2 | 1 | flags: 1 a reclaim step, 2 headroom below its critical threshold, 4 the last resort was called, 8 draining |
/// | 3 | 1 | zero |
/// | 4 | 4 | background tasks that are held |
/// | 8 | 8 | headroom in bytes |
/// | 16 | 8 | limit in bytes |
/// | 24 | 8 | footprint in bytes |
/// | 32 | 8 | `oom_kill` |
///
/// A number of all ones is not known.
package struct FlightState: Sendable, Equatable {
    /// The level.
    package var level: PressureLevel = .normal
    /// Indicates whether caches, background tasks or scenes were being asked.
    package var isReclaiming = false
    /// Indicates whether headroom was below its critical threshold.
    package var isHeadroomCritical = false
    /// Indicates whether the last resort had been called.
    package var isLastResortCalled = false
    /// Indicates whether shutdown had begun.
    package var isDraining = false
    /// The number of background tasks that were held.
    package var heldTasks = 0
    /// Bytes; nil where not known.
    package var headroomBytes: Int?
    /// Bytes; nil for none, or not known.
    package var limitBytes: Int?
    /// Bytes; nil where not known.
    package var footprintBytes: Int?
    /// `oom_kill` of the cgroup.
    package var oomKills: UInt64?

    package init() {}

    private static let fixedBytes = 40
    private static let version: UInt8 = 1

    /// Calls `body` with the payload. Allocates nothing.
    @unsafe package func withEncoded<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64)
        var flags: UInt64 = isReclaiming ? 1 : 0
        if isHeadroomCritical { flags |= 2 }
        if isLastResortCalled { flags |= 4 }
        if isDraining { flags |= 8 }
        let first = UInt64(Self.version) | UInt64(level.rawValue) << 8 | flags << 16
        func word(_ value: Int?) -> UInt64 { value.map { UInt64(max(0, $0)) } ?? .max }
        var words: Words = (
            first | UInt64(UInt32(clamping: heldTasks)) << 32, word(headroomBytes), word(limitBytes),
            word(footprintBytes), oomKills ?? .max
        )
        return unsafe withUnsafeBytes(of: &words) { unsafe body($0) }
    }

    /// Reads a payload; nil for one of another layout.
    package init?(_ payload: ArraySlice<UInt8>) {
        guard payload.count >= Self.fixedBytes, payload.number(at: 0, as: UInt8.self) == Self.version,
            let level = PressureLevel(rawValue: payload.number(at: 1))
        else { return nil }
        self.level = level
        let flags = payload.number(at: 2, as: UInt8.self)
        isReclaiming = flags & 1 != 0
        isHeadroomCritical = flags & 2 != 0
        isLastResortCalled = flags & 4 != 0
        isDraining = flags & 8 != 0
        heldTasks = Int(payload.number(at: 4, as: UInt32.self))
        func bytes(_ offset: Int) -> Int? {
            let value: UInt64 = payload.number(at: offset)
            return value == .max ? nil : Int(clamping: value)
        }
        headroomBytes = bytes(8)
        limitBytes = bytes(16)
        footprintBytes = bytes(24)
        let kills: UInt64 = payload.number(at: 32)
        oomKills = kills == .max ? nil : kills
    }
}
