import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam

@Suite struct LastExitTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: LaunchReason.PreviousExit
        var end: RunState?
        var isHeadroomCritical = false
        var seenKills: UInt64? = 3
        var killsNow: UInt64? = 3
        var boot: UInt8 = 1
        var inode: UInt64 = 2
        /// Of the cgroup above.
        var parentInode: UInt64 = 20
        var parentKillsNow: UInt64? = 30
        /// The machine that asks was started so long after the one of the recording.
        var bootedAfter = Duration.seconds(1000)
    }

    static let cases = [
        Case(testDescription: "a clean end", expected: .clean, end: .clean),
        Case(testDescription: "an end after the last resort", expected: .pressureShutdown, end: .pressureShutdown),
        Case(testDescription: "a missed deadline", expected: .watchdog, end: .watchdog),
        Case(testDescription: "a manager that threw", expected: .failed, end: .failed),
        Case(testDescription: "a clean end before a reboot", expected: .clean, end: .clean, boot: 9),
        Case(testDescription: "no word", expected: .killedUnknown),
        Case(testDescription: "no word and the counter rose", expected: .killedByOOM, killsNow: 4),
        Case(
            testDescription: "no word and the counter had risen before the last record", expected: .killedUnknown,
            seenKills: 4, killsNow: 4),
        Case(
            testDescription: "no word and the counter rose once more", expected: .killedByOOM, seenKills: 4, killsNow: 5
        ),
        Case(
            testDescription: "no word, the counter of another cgroup", expected: .killedUnknown, killsNow: 9, inode: 5),
        Case(
            testDescription: "no word with little headroom, another cgroup", expected: .killedProbablyOOM,
            isHeadroomCritical: true, killsNow: 0, inode: 5),
        Case(
            testDescription: "no word with little headroom, no counter", expected: .killedProbablyOOM,
            isHeadroomCritical: true, killsNow: nil),
        Case(
            testDescription: "no word with little headroom, another cgroup, and the counter above rose",
            expected: .killedByOOM,
            isHeadroomCritical: true, killsNow: 0, inode: 5, parentKillsNow: 31),
        Case(
            testDescription: "no word with little headroom, the same cgroup, and only the counter above rose",
            expected: .killedProbablyOOM, isHeadroomCritical: true, parentKillsNow: 31),
        Case(
            testDescription: "no word, another cgroup, and the counter above rose", expected: .killedUnknown,
            killsNow: 0,
            inode: 5, parentKillsNow: 31),
        Case(
            testDescription: "no word with little headroom, other cgroups, and the counter above is higher",
            expected: .killedProbablyOOM, isHeadroomCritical: true, killsNow: 0, inode: 5, parentInode: 21,
            parentKillsNow: 31),
        Case(
            testDescription: "no word with little headroom, another cgroup, no counter above",
            expected: .killedProbablyOOM,
            isHeadroomCritical: true, killsNow: 0, inode: 5, parentKillsNow: nil),
        Case(
            testDescription: "no word with little headroom on another machine, whose counters are higher",
            expected: .killedProbablyOOM, isHeadroomCritical: true, killsNow: 9, boot: 9, parentKillsNow: 39,
            bootedAfter: .zero),
        Case(
            testDescription: "no word with little headroom before a reboot", expected: .reboot,
            isHeadroomCritical: true,
            boot: 9),
        Case(
            testDescription: "no word on another machine, which ran at that time", expected: .killedUnknown, boot: 9,
            bootedAfter: .seconds(159)),
        Case(
            testDescription: "no word with little headroom on another machine", expected: .killedProbablyOOM,
            isHeadroomCritical: true, boot: 9, bootedAfter: .seconds(-5000)),
        Case(
            testDescription: "no word on another machine, whose cgroup looks the same", expected: .killedUnknown,
            killsNow: 9, boot: 9, bootedAfter: .zero),
        Case(testDescription: "the grace period ran out", expected: .graceExceeded, end: .graceExceeded),
        Case(testDescription: "a boot that is not known", expected: .killedUnknown, boot: 0),
    ]

    @Test("Each end is told by what was left of it", arguments: cases)
    func classification(_ end: Case) throws {
        let recorder = try FlightRecorder(TemporaryDirectory())
        var state = FlightState()
        state.level = .warning
        state.isHeadroomCritical = end.isHeadroomCritical
        state.oomKills = end.seenKills
        state.heldTasks = 2
        recorder.keep(heldTasks: ["upload"], at: .seconds(159))
        recorder.keep(state, at: .seconds(160))
        if let end = end.end { recorder.end(end, at: .seconds(161)) }
        var now = madeRun(wallClock: 1_000 + end.bootedAfter.nanoseconds, boot: end.boot)
        now.cgroup = CgroupIdentity(device: 1, inode: end.inode, oomKills: end.killsNow)
        now.parentCgroup = CgroupIdentity(device: 1, inode: end.parentInode, oomKills: end.parentKillsNow)
        let exit = LastExit(try recorder.recording, path: recorder.path, now: now)
        #expect(exit.reason == end.expected)
        #expect(exit.recordedFor == .seconds(end.end == nil ? 60 : 61))
        #expect(exit.heldBackgroundTasks == 2 && exit.heldBackgroundTaskNames == ["upload"])
        #expect("\(exit)".contains("level warning"))
    }

    @Test(
        "No more background tasks are named than were held in the end, and the line says what was last recorded and when"
    )
    func names() throws {
        let recorder = try FlightRecorder(TemporaryDirectory())
        recorder.keep(heldTasks: (1...9).map { "task \($0)" }, at: .seconds(155))
        var state = FlightState()
        state.heldTasks = 1
        recorder.keep(state, at: .seconds(160))
        let exit = LastExit(try recorder.recording, path: recorder.path, now: madeRun())
        #expect(exit.heldBackgroundTaskNames == ["task 1"])
        #expect("\(exit)".contains("its last record was written 1 min after its start"))
        #expect("\(exit)".contains("1 background task held (task 1)"))
    }

    @Test("The last exit is that of the latest run that is over, whoever else runs there")
    func latest() throws {
        let directory = try TemporaryDirectory()
        func run(_ number: Int32) -> RunIdentity { madeRun(process: number, wallClock: Int64(number)) }
        try FlightRecorder(directory, run: run(1)).end(.clean, at: .seconds(101))
        try FlightRecorder(directory, run: run(2)).end(.watchdog, at: .seconds(101))
        let other = try FlightRecorder(directory, run: run(3))
        let path = directory.path.appending("ring").string
        func lastExit() throws -> LastExit? {
            try RecordingDirectory(path, isMade: true).lastExit(before: run(4), in: path)
        }
        #expect(try lastExit()?.reason == .watchdog)
        #expect(try lastExit()?.path == "\(path)/jetsam-2-4242.ring")
        withExtendedLifetime(other) {}
    }

    @Test("Where nothing was recorded nothing is known")
    func nothing() throws {
        let directory = try TemporaryDirectory()
        #expect(
            try RecordingDirectory(directory.path.string, isMade: true).lastExit(before: madeRun(), in: "") == nil)
    }

    @Test("A recording that is damaged is passed over for the one before")
    func damaged() throws {
        let directory = try TemporaryDirectory()
        try FlightRecorder(directory, run: madeRun(process: 1)).end(.clean, at: .seconds(101))
        let path = directory.path.appending("ring")
        try TemporaryDirectory.write([1, 2, 3], to: path.appending("jetsam-2-1.ring"))
        let exit = try RecordingDirectory(path.string, isMade: true).lastExit(before: madeRun(), in: path.string)
        #expect(exit?.reason == .clean)
    }
}
