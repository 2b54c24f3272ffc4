import CTestProcesses
import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam

#if canImport(Glibc)
    import Glibc

    /// Directories and disks that cannot be recorded to, and what is kept of old recordings.
    @Suite struct RecorderFilesTests {
        private static func error(_ path: String, capacityBytes: Int = 64 << 10) -> FileError? {
            do throws(FileError) {
                _ = try FlightRecorder(directory: path, capacityBytes: capacityBytes, run: madeRun())
                return nil
            } catch { return error }
        }

        @Test("The latest recordings are kept, the older ones go, and never one that is being written")
        func pruning() throws {
            let directory = try TemporaryDirectory()
            func run(_ number: Int) -> RunIdentity { madeRun(process: Int32(number), wallClock: Int64(number)) }
            let living = try FlightRecorder(directory, run: run(1))
            for number in 2...7 { _ = try FlightRecorder(directory, run: run(number)) }
            let last = try FlightRecorder(directory, run: run(8))
            let names = try TemporaryDirectory.names(directory.path.appending("ring"))
            #expect(names == [1, 4, 5, 6, 7, 8].map { "jetsam-\($0)-4242.ring" })
            withExtendedLifetime((living, last)) {}
        }

        @Test("What a process that was killed at its start has left goes, and other files stay")
        func leftovers() throws {
            let directory = try TemporaryDirectory()
            _ = try FlightRecorder(directory, run: madeRun(process: 1))
            let ring = directory.path.appending("ring")
            for name in ["jetsam-9-9.ring.new", "notes.ring", "jetsam-x"] {
                try TemporaryDirectory.write([1], to: ring.appending(name))
            }
            _ = try FlightRecorder(directory, run: madeRun(process: 2))
            #expect(
                try TemporaryDirectory.names(ring)
                    == ["jetsam-1-4242.ring", "jetsam-2-4242.ring", "jetsam-x", "notes.ring"])
        }

        @Test("A process of the same number that began at the same tick has a file of its own")
        func sameName() throws {
            let directory = try TemporaryDirectory()
            let first = try FlightRecorder(directory)
            let second = try FlightRecorder(directory)
            first.append(1, bytes: [1])
            second.append(1, bytes: [2])
            #expect(second.path.hasSuffix("/jetsam-7-4242-1.ring"))
            #expect(try first.recording.records.map { Array($0.payload) } == [[1]])
            #expect(try second.recording.records.map { Array($0.payload) } == [[2]])
        }

        @Test("A symbolic link is not followed, neither as the directory nor as a recording")
        func links() throws {
            let directory = try TemporaryDirectory()
            _ = try FlightRecorder(directory, run: madeRun(process: 1))
            let (ring, link) = (directory.path.appending("ring").string, directory.path.appending("link").string)
            #expect(unsafe symlink(ring, link) == 0)
            let error = Self.error(link)
            #expect(error == .system(.tooManySymbolicLinkLevels, doing: "opening the directory"))
            #expect(error.map { "\($0)" }?.contains("symbolic link") == true)
            #expect(Self.error(link + "/") == error)
            #expect(Self.error(link + "//") == error)
            #expect(Self.error(link + "/.") == error)
            #expect(Self.error(link + "/.//./") == error)
            // Who could make a link there could have a recording read, or removed, elsewhere.
            #expect(unsafe symlink("\(ring)/jetsam-1-4242.ring", "\(ring)/jetsam-2-1.ring") == 0)
            #expect(try RecordingDirectory(ring, isMade: true).recordings().map(\.name) == ["jetsam-1-4242.ring"])
        }

        @Test("A directory that everybody may write to is refused, and one that is not there is said to be missing")
        func unsafeDirectories() throws {
            let directory = try TemporaryDirectory()
            #expect(unsafe chmod(directory.path.string, 0o777) == 0)
            #expect(Self.error(directory.path.string).map { "\($0)" }?.contains("everybody may write") == true)
            #expect(unsafe chmod(directory.path.string, 0o770) == 0)
            #expect(Self.error(directory.path.string).map { "\($0)" }?.contains("its group may write") == true)
            #expect(unsafe chmod(directory.path.string, 0o750) == 0)
            #expect(Self.error(directory.path.string) == nil)
            #expect(
                Self.error(directory.path.appending("a/b").string)
                    == .system(.noSuchFileOrDirectory, doing: "making the directory"))
            let file = directory.path.appending("file")
            try TemporaryDirectory.write([1], to: file)
            #expect(Self.error(file.string) == .system(.notDirectory, doing: "opening the directory"))
        }

        @Test(
            "A file that is cut short or removed while it is written ends nobody, and the recorder knows",
            arguments: [true, false])
        func cutShort(isTruncated: Bool) throws {
            let directory = try TemporaryDirectory()
            let recorder = try FlightRecorder(directory, slots: 64)
            #expect(recorder.append(500, at: 1.0, bytes: [1]) == 1)
            #expect(recorder.loss == nil)
            if isTruncated {
                #expect(unsafe truncate(recorder.path, 0) == 0)
            } else {
                #expect(unsafe unlink(recorder.path) == 0)
            }
            for number in 0..<200 { recorder.append(501, at: Double(2 + number), bytes: [2, 3]) }
            recorder.keep(FlightState(), at: .seconds(300))
            #expect(recorder.loss == (isTruncated ? .truncated : .removed))
            recorder.end(.clean, at: .seconds(301))
        }

        @Test("On a full disk there is no recorder, nothing is left of it, and nothing is killed by a signal")
        func fullDisk() throws {
            let (error, names, small) = try SpareThread.withDisk(bytes: 256 << 10) { path in
                let error = Self.error("\(path)/ring", capacityBytes: 1 << 20)
                let names = try? TemporaryDirectory.names(FilePath("\(path)/ring"))
                return (error, names, Self.error("\(path)/ring", capacityBytes: 64 << 10))
            }
            #expect(error == .system(.noSpace, doing: "making the file \((1 << 20) + 4096) bytes long"))
            #expect(names == [])
            #expect(small == nil)
        }

        @Test("On a read-only disk there is no recorder, and what is there can be read")
        func readOnlyDisk() throws {
            let error = try SpareThread.withDisk(bytes: 64 << 10, readOnly: true) { Self.error($0) }
            #expect(error == .system(.readOnlyFileSystem, doing: "making the file"))
            let missing = try SpareThread.withDisk(bytes: 64 << 10, readOnly: true) { Self.error("\($0)/ring") }
            #expect(missing == .system(.readOnlyFileSystem, doing: "making the directory"))
        }

        @Test(
            "Where memory may not be locked it records all the same, and says so",
            .enabled(if: !SpareThread.isSanitized, "a sanitizer answers mlock(2) itself, and does nothing"))
        func lockRefused() throws {
            let directory = try TemporaryDirectory()
            let recorder = try SpareThread.run {
                Result { () throws -> FlightRecorder in
                    let error = test_thread_drop_memory_locks()
                    guard error == 0 else { throw Errno(rawValue: -error) }
                    let before = test_process_limit_memory_locks(0)
                    defer { _ = test_process_limit_memory_locks(before) }
                    return try FlightRecorder(directory)
                }
            }.get()
            #expect(recorder.lockObstacle == .notPermitted || recorder.lockObstacle == .noMemory)
            recorder.append(1, bytes: [5])
            #expect(try recorder.recording.records.map { Array($0.payload) } == [[5]])
        }

        @Test("This process is told from others by what the kernel says of it")
        func thisRun() {
            let run = RunIdentity.current(
                in: KernelRoot(), processID: getpid(), wallClock: 1, start: .seconds(2))
            #expect(run.bootID.contains { $0 != 0 })
            #expect(run.processStart > 0)
            #expect(run.processStart == RunIdentity.processStart(of: getpid()))
            #expect(run.cgroup == nil || run.cgroup?.inode ?? 0 > 0)
            #expect(RunIdentity.processStart(of: -1) == nil)
        }
    }
#endif
