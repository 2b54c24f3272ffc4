internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

/// Kills processes that write to a flight recorder at random moments, and checks what their recordings hold.
struct RecordKillsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record-kills",
        abstract: "Kills processes that write to a flight recorder, and checks each recording.",
        discussion: """
            Each run starts a process whose threads write records as fast as they can, and kills it with SIGKILL after a random \
            time. Then the recording must open, and have exactly the records that were written. (Each thread notes a record's \
            number in a second shared mapping after it wrote the record.)

            EXIT STATUS
              0     every recording was right
              1     one was wrong: its seed is named, and --seed SEED --runs 1 repeats that run
            """
    )

    @Option(help: "The number of processes to kill.")
    var runs = 1000

    @Option(help: "The seed of the first run; each further one has the next.")
    var seed: UInt64 = 1

    @Option(help: .init("The directory of the recordings; a new one in /tmp by default.", valueName: "path"))
    var directory: String?

    @Flag(help: "Counts as one JSON object.")
    var json = false

    func validate() throws {
        guard (1...1_000_000).contains(runs) else { throw ValidationError("--runs takes a number from 1 to 1000000.") }
    }

    func run() throws {
        let place = directory ?? "/tmp/jetsam-record-\(System.processIdentifier)"
        try Syscalls.makeDirectory(place, mode: .ownerReadWriteExecute)
        defer { System.removeTree(place) }
        var sum = KilledRecording.Counts()
        var failures = 0
        let clock = SystemMonotonicClock()
        let start = clock.now
        var shown = start
        for index in 0..<runs {
            let killed = KilledRecording(seed: seed &+ UInt64(index), directory: "\(place)/\(index)")
            do {
                sum.add(try killed.run())
            } catch {
                failures += 1
                StandardError.write("jetsam-stress: run with seed \(killed.seed): \(error)")
            }
            System.removeTree("\(place)/\(index)")
            if shown.duration(to: clock.now) >= .seconds(5) {
                shown = clock.now
                StandardError.write(
                    "[\(start.duration(to: shown).nanoseconds / 1_000_000_000) s] \(index + 1) of \(runs) killed, "
                        + "\(sum.committed.counted("record", "records")) checked, "
                        + failures.counted("failure", "failures"))
            }
        }
        if json {
            print(
                JSONText.object([
                    ("runs", .integer(runs)), ("seed", .string("\(seed)")), ("failures", .integer(failures)),
                    ("begun", .integer(sum.started)), ("committed", .integer(sum.committed)),
                    ("read", .integer(sum.read)),
                    ("torn", .integer(sum.torn)), ("skipped", .integer(sum.skipped)),
                    ("wrapped", .integer(sum.wrapped)),
                ]))
        } else {
            print(
                """
                \(runs) killed, \(sum.started) of them while they recorded, \(sum.wrapped) after their ring had come round
                \(sum.committed.counted("committed record", "committed records")) had to be there, \
                \(sum.read.counted("was", "were")) read and compared
                \(sum.torn.counted("record was", "records were")) being written, \
                \(sum.skipped.counted("number was", "numbers were")) skipped
                \(failures.counted("failure", "failures"))
                """)
        }
        if failures > 0 { throw ExitCode(1) }
    }
}
