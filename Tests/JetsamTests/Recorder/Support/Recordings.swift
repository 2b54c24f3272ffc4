import CTestProcesses
import MemoryPressure
import SystemPackage

@testable import Jetsam

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A run that is made up.
func madeRun(process: Int32 = 7, wallClock: Int64 = 1_000, boot: UInt8 = 1) -> RunIdentity {
    var run = RunIdentity()
    run.bootID = [UInt8](repeating: boot, count: 16)
    run.wallClock = wallClock
    run.start = .seconds(100)
    run.processID = process
    run.processStart = 4242
    run.cgroup = CgroupIdentity(device: 1, inode: 2, oomKills: 3)
    run.parentCgroup = CgroupIdentity(device: 1, inode: 20, oomKills: 30)
    return run
}

extension FlightRecorder {
    /// One with so many slots.
    convenience init(
        _ directory: TemporaryDirectory, slots: Int = 16, run: RunIdentity = madeRun(), keeping kept: Int = 4
    ) throws {
        try self.init(
            directory: directory.path.appending("ring").string, capacityBytes: slots * 256, run: run, keeping: kept)
    }

    @discardableResult
    func append(_ kind: UInt16, at seconds: Double = 101, bytes: [UInt8]) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe append(RecordKind(rawValue: kind), at: .seconds(seconds), $0) }
    }

    /// What its file holds now, also when its directory is gone.
    var contents: [UInt8] { get throws { try snapshot() } }

    var recording: RecordingContents { get throws { try RecordingContents(contents) } }
}

#if canImport(Glibc)
    /// Things that change the thread that does them, on one that ends with them.
    enum SpareThread {
        /// Whether this is a build for a sanitizer, which answers some system calls itself.
        static let isSanitized = ["__tsan_init", "__asan_init"].contains { (name: String) in
            unsafe dlsym(nil, name) != nil
        }

        static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) throws -> Result {
            let result = Lock<Result?>(nil)
            let done = ParkingSpot()
            try ServiceThread.start("spare") {
                let value = body()
                result.withLock { $0 = value }
                done.signal()
            }
            done.wait(for: nil)
            return result.withLock { $0 }!
        }

        /// With a file system of so many bytes, which nobody else sees, mounted over a directory.
        static func withDisk<Result: Sendable>(
            bytes: Int, readOnly: Bool = false, _ body: @escaping @Sendable (_ path: String) -> Result
        ) throws -> Result {
            let directory = try TemporaryDirectory()
            let answer: Swift.Result<Result, Errno> = try run {
                let path = directory.path.string
                let error = test_thread_private_mounts()
                guard error == 0 else { return .failure(Errno(rawValue: -error)) }
                let flags = readOnly ? UInt(MS_RDONLY) : 0
                guard unsafe mount("none", path, "tmpfs", flags, "size=\(bytes),mode=700") == 0 else {
                    return .failure(Errno(rawValue: errno))
                }
                defer { _ = unsafe umount2(path, CInt(MNT_DETACH)) }
                return .success(body(path))
            }
            return try answer.get()
        }
    }
#endif
