internal import ArgumentParser
internal import CLinuxShims
internal import Jetsam
internal import MemoryPressure
internal import _StressPatterns

/// Writes to a flight recorder from several threads until it is killed. Not for people: `record-kills` starts it.
struct RecordLoadCommand: ParsableCommand {
    static let name = "record-load"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    /// Every so many records of the first thread come with a state.
    static let recordsAState: UInt64 = 16

    @Option var parent: Int32
    @Option var directory: String
    @Option var log: String
    @Option var capacity: Int
    @Option var threads: Int
    @Option var seed: UInt64

    func run() throws {
        System.dieWithParent()
        guard System.parentIdentifier == parent else { return }
        let log = try CommitLog(log, threads: threads, length: capacity / 256)
        let clock = SystemMonotonicClock()
        let run = RunIdentity.current(
            in: KernelRoot(), processID: System.processIdentifier, wallClock: wallClockNanoseconds(), start: clock.now)
        let recorder = try FlightRecorder(directory: directory, capacityBytes: capacity, run: run)
        for thread in 1..<threads { try System.startThread { write(to: recorder, log, thread) } }
        write(to: recorder, log, 0)
    }

    private func write(to recorder: FlightRecorder, _ log: CommitLog, _ thread: Int) {
        var number: UInt64 = 0
        while true {
            let record = ExpectedRecord(seed: seed, thread: thread, number: number)
            let sequence = unsafe record.payload.withUnsafeBytes { bytes in
                unsafe recorder.append(record.kind, at: record.instant, bytes)
            }
            log.note(thread, number, sequence)
            number += 1
            guard thread == 0, number % Self.recordsAState == 0 else { continue }
            let states = number / Self.recordsAState
            var state = FlightState()
            state.heldTasks = Int(states)
            recorder.keep(heldTasks: ["upload \(states)"], at: record.instant)
            recorder.keep(state, at: record.instant)
            log.noteState(thread, states)
        }
    }
}
