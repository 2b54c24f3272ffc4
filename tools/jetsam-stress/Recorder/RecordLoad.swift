internal import CLinuxShims
internal import CommandOutput
internal import Jetsam
internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What one thread of a load writes as its n-th record: known from the seed, so that a reader can tell a misread one.
struct ExpectedRecord: Equatable {
    static let firstKind: UInt16 = 100
    static let mostThreads = 64

    var kind: RecordKind
    var instant: MonotonicInstant
    var payload: [UInt8]

    init(seed: UInt64, thread: Int, number: UInt64) {
        var random = SplitMix(state: seed ^ UInt64(thread) << 48 ^ number &* 0xD129_0D3B_3E1F_5A2B)
        kind = RecordKind(rawValue: Self.firstKind + UInt16(thread))
        instant = MonotonicInstant(nanoseconds: Int64(truncatingIfNeeded: random.next() >> 1))
        let length = 8 + Int(random.next() % UInt64(FlightRecorder.payloadBytes - 7))
        payload = []
        payload.reserveCapacity(length)
        var word = number
        while payload.count < length {
            for byte in 0..<min(8, length - payload.count) {
                payload.append(UInt8(truncatingIfNeeded: word >> (8 * byte)))
            }
            word = random.next()
        }
    }

    /// The thread and the number that a record says that it is of; nil where it is no such record.
    static func origin(_ record: RecordingContents.Record) -> (thread: Int, number: UInt64)? {
        let thread = Int(record.kind.rawValue) - Int(firstKind)
        guard (0..<mostThreads).contains(thread), record.payload.count >= 8 else { return nil }
        return (thread, record.payload.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
}

/// Which records are in the recording for certain: the second shared mapping, in which each thread notes a record's sequence number
/// after it was written.
@safe struct CommitLog: @unchecked Sendable {
    /// A thread's words: how many records it has noted, how many states, and the numbers of the latest records.
    private static let fixedWords = 2

    let threads: Int
    /// How many of its latest records a thread's part holds.
    let length: Int
    private let base: UnsafeMutableRawPointer

    static func bytes(threads: Int, length: Int) -> Int { threads * (fixedWords + length) * 8 }

    /// Maps a file, which is made that long.
    init(_ path: String, threads: Int, length: Int) throws {
        self.threads = threads
        self.length = length
        let bytes = Self.bytes(threads: threads, length: length)
        let file = try FileDescriptor.open(
            FilePath(path), .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
        defer { try? file.close() }
        try file.resize(to: Int64(bytes))
        unsafe base = try System.mapShared(file, bytes: bytes)
    }

    private func offset(_ thread: Int, _ word: Int) -> Int { (thread * (Self.fixedWords + length) + word) * 8 }

    /// How many records a thread has noted.
    func count(_ thread: Int) -> UInt64 { unsafe jetsam_ring_word(base, offset(thread, 0)) }

    /// How many states it has noted.
    func states(_ thread: Int) -> UInt64 { unsafe jetsam_ring_word(base, offset(thread, 1)) }

    /// The sequence number of its n-th record, one of the latest.
    func sequence(_ thread: Int, _ number: UInt64) -> UInt64 {
        unsafe jetsam_ring_word(base, offset(thread, Self.fixedWords + Int(number % UInt64(length))))
    }

    func note(_ thread: Int, _ number: UInt64, _ sequence: UInt64) {
        unsafe jetsam_ring_set_word(
            base, offset(thread, Self.fixedWords + Int(number % UInt64(length))), sequence)
        unsafe jetsam_ring_set_word(base, offset(thread, 0), number + 1)
    }

    func noteState(_ thread: Int, _ count: UInt64) {
        unsafe jetsam_ring_set_word(base, offset(thread, 1), count)
    }

    func unmap() {
        let bytes = Self.bytes(threads: threads, length: length)
        unsafe System.unmap(UnsafeMutableRawBufferPointer(start: base, count: bytes))
    }
}
