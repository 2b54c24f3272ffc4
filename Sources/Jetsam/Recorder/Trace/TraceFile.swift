internal import MemoryPressure
internal import SystemPackage

/// Writes what a queue takes in to a file, from a thread of its own.
final class TraceFile: Sendable {
    private struct State {
        var writer = TraceLineWriter()
        var writtenBytes = 0
        var isFull = false
    }

    private let queue: TraceQueue
    private let threads: any ThreadSource
    private let path: FilePath
    private let file: FileDescriptor
    private let maximumBytes: Int
    private let clock: any MonotonicClock
    private let state = Lock(State())
    /// The first error; from then on nothing is written. Beside the rest: a disk may keep whoever writes waiting, and nobody who asks.
    private let failure = Lock<Errno?>(nil)
    private let writeOut: @Sendable (FileDescriptor, [UInt8]) throws -> Void
    private let spot = ParkingSpot()
    private let ending = Lock<Ending>(Ending())

    private struct Ending {
        var isStopped = false
        var hasEnded = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// Often enough that a full queue is rare, and seldom enough that nobody notices it.
    private static let interval = Duration.milliseconds(200)

    /// Opens the file, which nobody else may read. A trace that is there already is kept beside it, with `.previous` behind its
    /// name.
    init(
        path: FilePath, maximumBytes: Int, header: TraceHeader, queue: TraceQueue, clock: any MonotonicClock,
        threads: any ThreadSource = SystemThreads(),
        write: @escaping @Sendable (FileDescriptor, [UInt8]) throws -> Void = { _ = try $0.writeAll($1) }
    ) throws(Errno) {
        self.queue = queue
        self.threads = threads
        writeOut = write
        self.path = path
        self.maximumBytes = maximumBytes
        self.clock = clock
        do {
            try Self.keepPrevious(path)
            file = try FileDescriptor.open(
                path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
        } catch let error as Errno {
            throw error
        } catch {
            throw .ioError
        }
        state.withLock { $0.writer.append(header, at: clock.now) }
    }

    deinit {
        try? file.close()
    }

    /// Starts the thread that writes. Where there is no thread the file is removed again: otherwise the next run would keep it,
    /// empty as it is, in the place of the trace before.
    func start() throws(Errno) {
        do throws(Errno) {
            try threads.start("jetsam.trace", stackBytes: 128 << 10) { self.loop() }
        } catch {
            removeName()
            throw error
        }
    }

    /// Takes the file's name away, where it still is this file's.
    private func removeName() {
        guard let own = try? FileFacts(of: file.rawValue),
            let named = try? FileFacts(at: path.string, followsLinks: false), own.identity == named.identity
        else { return }
        try? Syscalls.removeFile(path.string)
    }

    /// Writes what there is and ends the thread.
    func stop() async {
        ending.withLock { $0.isStopped = true }
        spot.signal()
        await withCheckedContinuation { continuation in
            let hasEnded = ending.withLock { ending in
                if !ending.hasEnded { ending.waiter = continuation }
                return ending.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// The error of the file; nil where there is none.
    var error: Errno? { failure.withLock { $0 } }

    /// Indicates whether the file has no name any more: nobody will find what is written from now on.
    var isRemoved: Bool {
        (try? FileFacts(of: file.rawValue))?.names == 0
    }

    private static func keepPrevious(_ path: FilePath) throws(Errno) {
        do throws(Errno) { try Syscalls.rename(path.string, to: path.string + ".previous") } catch {
            guard error == .noSuchFileOrDirectory else { throw error }
        }
    }

    private func loop() {
        while !ending.withLock({ $0.isStopped }) {
            writeAll()
            spot.wait(for: Self.interval)
        }
        writeAll()
        let waiter = ending.withLock { ending in
            ending.hasEnded = true
            return ending.waiter
        }
        waiter?.resume()
    }

    private func writeAll() {
        var slot = [UInt8](repeating: 0, count: RecordBytes.most)
        state.withLock { state in
            while let entry = unsafe slot.withUnsafeMutableBytes({ unsafe queue.popFirst(into: $0) }) {
                if entry.kind == .trace {
                    if let header = queue.popFirstHeader() { state.writer.append(header, at: entry.instant) }
                    continue
                }
                guard let event = TraceEvent(kind: entry.kind, bytes: slot[..<entry.count]), !state.isFull else {
                    continue
                }
                event.write(to: &state.writer, at: entry.instant)
                if state.writer.bytes.count >= 64 << 10 { write(&state) }
            }
            let lost = queue.collectLostCount()
            if lost > 0, !state.isFull { state.writer.append(LostRecord(.tooFast, records: lost), at: clock.now) }
            write(&state)
        }
    }

    private func write(_ state: inout State) {
        defer { state.writer.drop() }
        guard error == nil, !state.isFull else { return }
        if state.writtenBytes + state.writer.bytes.count > maximumBytes {
            state.isFull = true
            state.writer.drop()
            state.writer.append(LostRecord(.fileFull, records: 0), at: clock.now)
        }
        do {
            let bytes = state.writer.bytes
            try writeOut(file, bytes)
            state.writtenBytes += bytes.count
        } catch {
            failure.withLock { $0 = error as? Errno ?? .ioError }
        }
    }
}
