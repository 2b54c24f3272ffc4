internal import CLinuxShims
internal import MemoryPressure
package import SystemPackage

/// Keeps the latest records of this run in a file that is still there when the process is not.
///
/// A record is written to memory that the file shares with the kernel, so that it outlives the process whatever ends it, without
/// a system call. Nothing is flushed: the power may take the last half minute.
package final class FlightRecorder: Sendable {
    /// The number of recordings that stay in the directory besides those of running processes.
    package static let keptFiles = 4

    /// The recording's file.
    package let path: String
    /// The run that it is of.
    package let run: RunIdentity
    private let mapping: FileMapping

    /// The number of bytes that a record can carry.
    package static let payloadBytes = RingFormat.payloadBytes

    /// Begins a recording, and removes the oldest ones.
    ///
    /// - Parameters:
    ///   - directory: The directory, made with mode 0700 where its parent exists. Not a symbolic link, and nobody's to write to
    ///     but this user's or root's.
    ///   - capacityBytes: The number of bytes of records that are kept, 256 a record.
    ///   - run: The run that it is of; its slots are set here.
    package init(
        directory: String, capacityBytes: Int, run: RunIdentity, keeping kept: Int = FlightRecorder.keptFiles
    ) throws(FileError) {
        #if os(Linux)
            var run = run
            run.slots = min(RingFormat.mostSlots, max(1, capacityBytes / RingFormat.slotBytes))
            let files = try RecordingDirectory(directory, isMade: true)
            let stem = "\(run.processID)-\(run.processStart)"
            let (file, unfinished) = try files.make(stem)
            let name: String
            do throws(FileError) {
                let mapping = try FileMapping(file, bytes: RingFormat.headerBytes + run.slots * RingFormat.slotBytes)
                for (offset, byte) in run.encoded.enumerated().reversed() {
                    unsafe mapping.base.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
                }
                unsafe jetsam_ring_set_word(mapping.base, RingFormat.stateOffset, RunState.running.word)
                name = try files.publish(unfinished, stem)
                self.mapping = mapping
            } catch {
                files.remove(unfinished)
                throw error
            }
            self.run = run
            path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
            // Files that cannot be removed now can be removed the next time.
            try? files.prune(keeping: kept, run)
        #else
            throw .system(.noFunction, doing: "recording")
        #endif
    }

    /// The reason why the memory could not be locked, so that writing may wait for the disk; nil where it is locked.
    package var lockObstacle: Errno? { mapping.lockObstacle }

    /// Adds a record. No allocation, no system call, no waiting; from any thread, under any lock.
    ///
    /// - Parameters:
    ///   - kind: The subject of the record.
    ///   - instant: The time when it happened.
    ///   - payload: At most ``payloadBytes``; a longer one is cut off.
    /// - Returns: Its number: 1 for the first, rising, now and then with a gap; 0 where it had to be dropped.
    @discardableResult
    @unsafe package func append(
        _ kind: RecordKind, at instant: MonotonicInstant, _ payload: UnsafeRawBufferPointer
    ) -> UInt64 {
        unsafe jetsam_ring_append(
            mapping.base, UInt32(truncatingIfNeeded: run.slots), kind.rawValue, instant.nanoseconds,
            payload.baseAddress, payload.count)
    }

    /// The same of bytes that are safe to read.
    @discardableResult
    package func append(_ kind: RecordKind, at instant: MonotonicInstant, _ payload: borrowing RawSpan) -> UInt64 {
        unsafe payload.withUnsafeBytes { bytes in unsafe append(kind, at: instant, bytes) }
    }

    /// Adds a text for people.
    package func note(_ text: String, at instant: MonotonicInstant) {
        var text = text
        text.withUTF8 { bytes in _ = unsafe append(.note, at: instant, UnsafeRawBufferPointer(bytes)) }
    }

    /// Keeps what is under way, however many records come after it. As cheap as a record.
    package func keep(_ state: FlightState, at instant: MonotonicInstant) {
        unsafe state.withEncoded { bytes in
            _ = unsafe jetsam_ring_keep_state(
                mapping.base, RecordKind.state.rawValue, instant.nanoseconds, bytes.baseAddress, bytes.count)
        }
    }

    /// Keeps the names of background tasks that are held, as many as fit. It allocates.
    package func keep(heldTasks names: [String], at instant: MonotonicInstant) {
        var bytes: [UInt8] = []
        for name in names {
            let line = Array(name.utf8.prefix { $0 != 0x0A }) + [0x0A]
            if bytes.count + line.count <= RingFormat.payloadBytes { bytes += line }
        }
        unsafe bytes.withUnsafeBytes { bytes in
            _ = unsafe jetsam_ring_keep_held(
                mapping.base, RecordKind.held.rawValue, instant.nanoseconds, bytes.baseAddress, bytes.count)
        }
    }

    /// Says how the run ended, and counts as over from here on. The first word counts: what comes after it was on the way to
    /// the end.
    package func end(_ state: RunState, at instant: MonotonicInstant) {
        guard self.state == .running else { return }
        var byte = UInt8(truncatingIfNeeded: state.rawValue)
        _ = unsafe withUnsafeBytes(of: &byte) { unsafe append(.end, at: instant, $0) }
        unsafe jetsam_ring_set_word(mapping.base, RingFormat.stateOffset, state.word)
        mapping.unlock()
    }

    /// Returns the present contents of the recording, as ``RecordingContents`` reads them. Reads the file.
    package func snapshot() throws(Errno) -> [UInt8] { try mapping.contents() }

    /// The reason why nobody will find what is recorded from now on; nil where the file is all right. Looks at the file.
    package var loss: FileLoss? { mapping.loss }

    /// The state of the run.
    package var state: RunState? { RunState(word: unsafe jetsam_ring_word(mapping.base, RingFormat.stateOffset)) }
}
