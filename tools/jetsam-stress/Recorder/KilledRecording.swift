internal import CommandOutput
internal import Jetsam
internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

/// One process that records, is killed, and leaves a recording.
struct KilledRecording {
    let seed: UInt64
    let directory: String

    struct Counts {
        var started = 0
        var committed = 0
        var read = 0
        var torn = 0
        var skipped = 0
        var wrapped = 0

        mutating func add(_ other: Counts) {
            started += other.started
            committed += other.committed
            read += other.read
            torn += other.torn
            skipped += other.skipped
            wrapped += other.wrapped
        }
    }

    func run() throws -> Counts {
        try Syscalls.makeDirectory(directory, mode: .ownerReadWriteExecute)
        var random = SplitMix(state: seed)
        let threads = 2 + Int(random.next() % 5)
        // The smallest ring comes round thousands of times, so that writers meet each other in it.
        let capacity = [64 << 10, 64 << 10, 256 << 10, 1 << 20][Int(random.next() % 4)]
        // One in eight is killed while it starts.
        let isEarly = random.next() % 8 == 0
        let delay = Duration.microseconds(Int64(random.next() % (isEarly ? 20_000 : 15_000)))
        let log = try CommitLog("\(directory)/log", threads: threads, length: capacity / 256)
        defer { log.unmap() }
        let child = try System.spawn(
            "/proc/self/exe",
            [
                "jetsam-stress", RecordLoadCommand.name, "--parent", "\(System.processIdentifier)", "--directory",
                "\(directory)/ring", "--log", "\(directory)/log", "--capacity", "\(capacity)", "--threads",
                "\(threads)", "--seed", "\(seed)",
            ])
        let clock = SystemMonotonicClock()
        let deadline = clock.now.advanced(by: .seconds(20))
        while !isEarly, log.count(0) == 0, clock.now < deadline {
            System.sleep(until: clock.now.advanced(by: .microseconds(200)))
        }
        System.sleep(until: clock.now.advanced(by: delay))
        System.send(System.killSignal, to: child)
        let end = System.waitForEnd(of: child)
        guard end == .signalled(System.killSignal) else { throw StressError("the process ended by itself: \(end)") }
        if !isEarly, log.count(0) == 0 { throw StressError("the process recorded nothing in 20 s") }
        return try check(log)
    }

    private func check(_ log: CommitLog) throws -> Counts {
        let noted = (0..<log.threads).map { log.count($0) }
        let names = (try? System.files(in: "\(directory)/ring").filter { $0.hasSuffix(".ring") }) ?? []
        guard let name = names.first else {
            guard noted.allSatisfy({ $0 == 0 }) else { throw StressError("there is no recording") }
            return Counts()
        }
        let recording = try RecordingContents(try Syscalls.contents(of: "\(directory)/ring/\(name)"))
        guard recording.state == .running else { throw StressError("its state is \(recording.state as Any)") }
        guard recording.dropped == 0 else {
            throw StressError("\(recording.dropped.counted("record was", "records were")) dropped")
        }
        guard recording.torn <= log.threads else {
            throw StressError(
                "\(recording.torn) records are torn, and only \(log.threads.counted("thread", "threads")) wrote")
        }
        let present = try checkRead(recording, log, noted)
        var counts = Counts()
        counts.started = 1
        counts.read = recording.records.count
        counts.torn = recording.torn
        counts.wrapped = recording.begun > UInt64(recording.run.slots) ? 1 : 0
        counts.skipped = Int(recording.missing) - min(Int(recording.missing), recording.torn)
        for thread in 0..<log.threads {
            let count = noted[thread]
            for number in (count - min(count, UInt64(log.length)))..<count {
                let sequence = log.sequence(thread, number)
                guard sequence > 0 else { throw StressError("record \(number) of thread \(thread) found no slot") }
                // Its slot was claimed anew since.
                guard sequence + UInt64(recording.run.slots) > recording.begun else { continue }
                guard present.contains(sequence) else {
                    throw StressError(
                        "record \(sequence) was committed and is not there (number \(number), thread \(thread))")
                }
                counts.committed += 1
            }
        }
        try checkState(recording, log.states(0))
        return counts
    }

    /// Every record that was read must be one that was written, and under its own number.
    private func checkRead(_ recording: RecordingContents, _ log: CommitLog, _ noted: [UInt64]) throws -> Set<UInt64> {
        var present: Set<UInt64> = []
        for record in recording.records {
            present.insert(record.sequence)
            guard let (thread, number) = ExpectedRecord.origin(record), thread < log.threads, number <= noted[thread]
            else { throw StressError("record \(record.sequence) was never written: \(record)") }
            let expected = ExpectedRecord(seed: seed, thread: thread, number: number)
            guard expected.kind == record.kind, expected.instant == record.instant,
                expected.payload.elementsEqual(record.payload)
            else { throw StressError("record \(record.sequence) was misread") }
            guard number < noted[thread], number + UInt64(log.length) >= noted[thread] else { continue }
            // The oldest number's place may hold the next one already, which is noted before it is counted.
            let sequence = log.sequence(thread, number)
            let isReplaced = number + UInt64(log.length) == noted[thread]
            guard sequence == record.sequence || isReplaced else {
                throw StressError("record \(record.sequence) was written as \(sequence)")
            }
        }
        return present
    }

    private func checkState(_ recording: RecordingContents, _ noted: UInt64) throws {
        guard noted > 0 else { return }
        guard let state = recording.lastState?.state else { throw StressError("the last state is not there") }
        let count = UInt64(state.heldTasks)
        // A name is kept before the state that it belongs to.
        let names = [["upload \(count)"], ["upload \(count + 1)"]]
        guard count == noted || count == noted + 1, names.contains(recording.heldTaskNames) else {
            throw StressError(
                "the last state is number \(count), but \(noted.counted("was", "were")) written; "
                    + "held: \(recording.heldTaskNames)")
        }
    }
}
