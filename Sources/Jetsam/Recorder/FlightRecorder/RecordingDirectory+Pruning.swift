internal import MemoryPressure

extension RecordingDirectory {
    /// A recording in the directory.
    struct Found {
        var name: String
        /// The time when it began, in nanoseconds since 1970; 0 where its header cannot be read.
        var wallClock: Int64
        /// Indicates whether nobody writes to it any more.
        var isOver: Bool
    }

    /// The recordings, in no order.
    ///
    /// - Parameter run: This run, to compare with where the file system has no locks; nil to take every one there for over.
    borrowing func recordings(_ run: RunIdentity? = nil) throws(FileError) -> [Found] {
        var found: [Found] = []
        for name in try names() {
            guard let file = open(name) else { continue }
            defer { Syscalls.close(file) }
            let header = (try? Syscalls.start(of: file, limit: RingFormat.headerBytes)).flatMap { bytes in
                try? RunIdentity(bytes[...])
            }
            let isOver = FileLock.isFree(file) ?? Self.isOver(header, run)
            found.append(Found(name: name, wallClock: header?.wallClock ?? 0, isOver: isOver))
        }
        return found
    }

    /// The recordings of runs that are over, the latest first.
    borrowing func ended(_ run: RunIdentity) throws(FileError) -> [Found] {
        try recordings(run).filter(\.isOver).sorted { ($0.wallClock, $0.name) > ($1.wallClock, $1.name) }
    }

    /// Returns whether its process cannot be alive, as far as can be seen from here. Used where there are no locks.
    private static func isOver(_ header: RunIdentity?, _ run: RunIdentity?) -> Bool {
        guard let header, let run else { return true }
        if header.isOfOtherBoot(than: run) { return true }
        if header.processID == run.processID { return header.processStart != run.processStart }
        return RunIdentity.processStart(of: header.processID) != header.processStart
    }

    /// Removes the oldest recordings of runs that are over, but for so many, and what never became one.
    borrowing func prune(keeping kept: Int, _ run: RunIdentity) throws(FileError) {
        for name in try names(ending: Self.suffix + Self.unfinished) {
            guard let file = open(name) else { continue }
            defer { Syscalls.close(file) }
            if FileLock.isFree(file) == true { remove(name) }
        }
        for recording in try ended(run).dropFirst(kept) { remove(recording.name) }
    }
}
