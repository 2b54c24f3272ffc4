package import MemoryPressure

/// The identity of a recording's run: the part of its header that never changes. Pure but for what it is made from.
package struct RunIdentity: Sendable, Equatable {
    /// The kernel's `boot_id`, 16 bytes; zeros where it cannot be read.
    package var bootID = [UInt8](repeating: 0, count: 16)
    /// The time when it began, in nanoseconds since 1970.
    package var wallClock: Int64 = 0
    /// The same on the monotonic clock, by which the records tell their time.
    package var start = MonotonicInstant(nanoseconds: 0)
    /// The process, as it sees itself.
    package var processID: Int32 = 0
    /// The time when the process was started, in clock ticks since boot (`/proc/self/stat`, field 22).
    package var processStart: UInt64 = 0
    /// The cgroup whose memory accounting covers the process nearest; nil where there is none.
    package var cgroup: CgroupIdentity?
    /// The cgroup above it, which counts the kills of all below it (v2) and outlives a container; nil where it cannot be seen.
    package var parentCgroup: CgroupIdentity?
    /// The number of records that fit.
    package var slots = 0

    package init() {}

    private static let hasCgroup: UInt32 = 1
    private static let hasKills: UInt32 = 2
    private static let hasParent: UInt32 = 4
    private static let constantBytes = 104
    /// The parent's part has a checksum of its own: recordings of earlier versions have zeros there.
    private static let parentOffset = 112
    private static let parentBytes = 24

    /// The header's first bytes, with their checksum.
    var encoded: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.parentOffset + Self.parentBytes + 4)
        bytes.replaceSubrange(0..<8, with: RingFormat.magic)
        bytes.set(RingFormat.version, at: 8)
        bytes.set(UInt32(RingFormat.slotBytes), at: 12)
        bytes.set(UInt32(RingFormat.headerBytes), at: 16)
        bytes.set(UInt32(slots), at: 20)
        bytes.replaceSubrange(24..<40, with: bootID)
        bytes.set(wallClock, at: 40)
        bytes.set(start.nanoseconds, at: 48)
        bytes.set(processID, at: 56)
        let hasParent = parentCgroup?.oomKills != nil
        let flags =
            (cgroup == nil ? 0 : Self.hasCgroup) | (cgroup?.oomKills == nil ? 0 : Self.hasKills)
            | (hasParent ? Self.hasParent : 0)
        bytes.set(flags, at: 60)
        bytes.set(processStart, at: 64)
        bytes.set(cgroup?.device ?? 0, at: 72)
        bytes.set(cgroup?.inode ?? 0, at: 80)
        bytes.set(cgroup?.oomKills ?? 0, at: 88)
        bytes.set(Checksum.crc32c(bytes[..<Self.constantBytes]), at: Self.constantBytes)
        bytes.set(parentCgroup?.device ?? 0, at: Self.parentOffset)
        bytes.set(parentCgroup?.inode ?? 0, at: Self.parentOffset + 8)
        bytes.set(parentCgroup?.oomKills ?? 0, at: Self.parentOffset + 16)
        let parent = bytes[Self.parentOffset..<Self.parentOffset + Self.parentBytes]
        bytes.set(Checksum.crc32c(parent), at: Self.parentOffset + Self.parentBytes)
        return bytes
    }

    /// Reads a header; there may be more behind it.
    init(_ bytes: ArraySlice<UInt8>) throws(RecordingFormatError) {
        guard bytes.count >= RingFormat.magic.count, bytes.prefix(8).elementsEqual(RingFormat.magic) else {
            throw .notARecording("it does not begin like a recording")
        }
        guard bytes.count >= RingFormat.headerBytes else {
            throw .notARecording(
                "it ends inside its header, at \(bytes.count) of \(RingFormat.headerBytes) bytes")
        }
        let version = bytes.number(at: 8, as: UInt32.self)
        guard version == RingFormat.version else { throw .unsupported(version: version) }
        let constant = bytes.prefix(Self.constantBytes)
        guard Checksum.crc32c(constant) == bytes.number(at: Self.constantBytes, as: UInt32.self) else {
            throw .notARecording("its header's checksum is wrong")
        }
        let count = Int(bytes.number(at: 20, as: UInt32.self))
        guard bytes.number(at: 12, as: UInt32.self) == UInt32(RingFormat.slotBytes),
            bytes.number(at: 16, as: UInt32.self) == UInt32(RingFormat.headerBytes),
            (1...RingFormat.mostSlots).contains(count)
        else { throw .notARecording("its header names sizes that this version does not have") }
        slots = count
        bootID = Array(bytes.dropFirst(24).prefix(16))
        wallClock = bytes.number(at: 40)
        start = MonotonicInstant(nanoseconds: bytes.number(at: 48))
        processID = bytes.number(at: 56)
        processStart = bytes.number(at: 64)
        let flags = bytes.number(at: 60, as: UInt32.self)
        if flags & Self.hasCgroup != 0 {
            cgroup = CgroupIdentity(
                device: bytes.number(at: 72), inode: bytes.number(at: 80),
                oomKills: flags & Self.hasKills == 0 ? nil : bytes.number(at: 88))
        }
        let parent = bytes.dropFirst(Self.parentOffset).prefix(Self.parentBytes)
        if flags & Self.hasParent != 0,
            Checksum.crc32c(parent) == bytes.number(at: Self.parentOffset + Self.parentBytes, as: UInt32.self)
        {
            parentCgroup = CgroupIdentity(
                device: parent.number(at: 0), inode: parent.number(at: 8), oomKills: parent.number(at: 16))
        }
    }
}

/// The reason why bytes cannot be read as a recording.
package enum RecordingFormatError: Error, Equatable, CustomStringConvertible {
    /// They are something else, or their header is damaged.
    case notARecording(String)
    /// A later version wrote them.
    case unsupported(version: UInt32)

    package var description: String {
        switch self {
        case .notARecording(let reason): "this is no flight recording: \(reason)"
        case .unsupported(let version):
            "this recording has format \(version), but only format \(RingFormat.version) is known here"
        }
    }
}
