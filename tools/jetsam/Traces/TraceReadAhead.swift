internal import Dispatch
internal import Jetsam
internal import JetsamTrace
internal import MemoryPressure
internal import SystemPackage

/// Reads a trace on a thread of its own, some batches ahead of whoever works on it: reading takes about as long as deciding.
final class TraceReadAhead: Sendable {
    struct Entry {
        var event: TraceEvent
        var instant: MonotonicInstant
        /// Counted from 1.
        var line: Int
        /// Where the line is in the batch's bytes.
        var place: Range<Int>
    }

    struct Batch {
        var entries: [Entry] = []
        var bytes: [UInt8] = []
        /// How the reading ended, in the last batch: whether the last line was whole, or why it went no further.
        var end: Result<Bool, any Error>?
    }

    private static let batchSize = 1024
    private static let mostAhead = 4

    private struct State {
        var batches: [Batch] = []
        var isAbandoned = false
    }

    private let state = Lock(State())
    private let filled = DispatchSemaphore(value: 0)
    private let room = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - file: Read to its end.
    ///   - closes: Whether it is closed then.
    init(_ file: FileDescriptor, closes: Bool) {
        for _ in 0..<Self.mostAhead { room.signal() }
        DispatchQueue(label: "jetsam.trace").async { [self] in
            read(file)
            if closes { try? file.close() }
        }
    }

    /// The next batch, as soon as it is there. Not to be called behind the one that has the end.
    func next() -> Batch {
        filled.wait()
        let batch = state.withLock { $0.batches.removeFirst() }
        room.signal()
        return batch
    }

    /// Nobody takes any more: the thread stops at its next batch.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        room.signal()
    }

    private struct Abandoned: Error {}

    private func read(_ file: FileDescriptor) {
        var reader = TraceLineReader()
        var batch = Batch()
        var hasHeader = false
        do {
            let isWhole = unsafe try TraceLines.forEach(in: file) { line in
                guard let instant = unsafe try reader.advance(to: line) else { return }
                if !hasHeader {
                    try Self.check(reader.event, line: reader.line)
                    hasHeader = true
                }
                try reader.checkBounds(at: instant)
                let start = batch.bytes.count
                unsafe batch.bytes.append(contentsOf: line)
                batch.entries.append(
                    Entry(event: reader.event, instant: instant, line: reader.line, place: start..<batch.bytes.count))
                if batch.entries.count == Self.batchSize { try put(&batch) }
            }
            guard hasHeader else { throw TraceError(line: 0, message: "there is nothing in it") }
            batch.end = .success(isWhole)
        } catch {
            batch.end = .failure(error)
        }
        try? put(&batch)
    }

    private func put(_ batch: inout Batch) throws(Abandoned) {
        room.wait()
        let full = batch
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { state.batches.append(full) }
            return state.isAbandoned
        }
        if isAbandoned { throw Abandoned() }
        filled.signal()
        let (entries, bytes) = (full.entries.count, full.bytes.count)
        batch = Batch()
        batch.entries.reserveCapacity(entries)
        batch.bytes.reserveCapacity(bytes + bytes / 8)
    }

    private static func check(_ event: TraceEvent, line: Int) throws(TraceError) {
        guard case .trace(let header) = event else {
            throw TraceError(line: line, message: "a trace begins with a line of the kind 'trace'")
        }
        guard TraceSchema.versions.contains(header.version) else {
            throw TraceError.unknown(header.version, line: line)
        }
        do {
            try header.configuration.validate()
        } catch {
            throw TraceError(line: line, message: "its configuration cannot be used: \(error)")
        }
    }
}
