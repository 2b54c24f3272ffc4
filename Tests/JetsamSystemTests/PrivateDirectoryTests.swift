import JetsamSystem
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A directory of the test's own, removed with the directories and files in it.
private final class Place: Sendable {
    let path: String

    init() throws(Errno) {
        path = try Syscalls.makeTemporaryDirectory("\(ThisProcess.variable("TMPDIR") ?? "/tmp")/jetsam-files-")
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        let names = (try? PrivateDirectory(path, isMade: false, safety: .anybody).names()) ?? []
        for name in names {
            let inner = "\(path)/\(name)"
            if (try? FileFacts(at: inner, followsLinks: false))?.kind == .directory {
                remove(inner)
            } else {
                try? Syscalls.removeFile(inner)
            }
        }
        try? Syscalls.removeDirectory(path)
    }
}

struct PrivateDirectoryTests {
    private static func error(_ path: String, _ safety: PrivateDirectory.Safety, isMade: Bool = true) -> FileError? {
        do throws(FileError) {
            _ = try PrivateDirectory(path, isMade: isMade, safety: safety)
            return nil
        } catch { return error }
    }

    @Test("A directory is made for this user alone, and opened again as it is")
    func making() throws {
        let place = try Place()
        let path = "\(place.path)/made"
        #expect(
            Self.error(path, .ownUser, isMade: false) == .system(.noSuchFileOrDirectory, doing: "opening the directory")
        )
        #expect(Self.error(path + "//", .ownUser) == nil)
        #expect(Self.error(path, .ownUser) == nil)
        #expect(Self.error(path, .ownUserOrRoot, isMade: false) == nil)
        #expect(
            Self.error("\(place.path)/no/parent", .ownUser)
                == .system(.noSuchFileOrDirectory, doing: "making the directory"))
    }

    @Test(
        "What others may read or write is refused, by what it must be safe from",
        arguments: [
            (0o700, true, true), (0o750, false, true), (0o755, false, true), (0o770, false, false),
            (0o702, false, false),
        ])
    func safety(mode: CInterop.Mode, isOwn: Bool, isUnwritten: Bool) throws {
        let place = try Place()
        let path = "\(place.path)/directory"
        try Syscalls.makeDirectory(path, mode: .ownerReadWriteExecute)
        let outside = try PrivateDirectory(place.path, isMade: false, safety: .anybody)
        try outside.setMode(FilePermissions(rawValue: mode), of: "directory")
        for (safety, isSafe) in [
            (PrivateDirectory.Safety.ownUser, isOwn), (.ownUserOrRoot, isUnwritten), (.anybody, true),
        ] {
            let error = Self.error(path, safety)
            if isSafe {
                #expect(error == nil)
            } else {
                guard case .insecure(let reason) = error else {
                    Issue.record("\(safety) took a directory of mode \(String(mode, radix: 8))")
                    continue
                }
                #expect(reason.contains(String(mode, radix: 8)))
            }
        }
    }

    @Test("Names are looked up inside it: what is no ordinary file there is not read")
    func reading() throws {
        let place = try Place()
        let files = try PrivateDirectory(place.path, isMade: false, safety: .ownUser)
        #expect(try files.read("absent", limit: 10) == nil)
        for result in files.replace([.init(name: "a", bytes: Array("0123456789".utf8))]) { try result.get() }
        let found = try #require(try files.read("a", limit: 4))
        #expect(found.bytes == Array("0123".utf8))
        #expect(found.size == 10)
        try Syscalls.makeDirectory("\(place.path)/b", mode: .ownerReadWriteExecute)
        #expect(throws: FileError.damaged("it is no ordinary file")) { try files.read("b", limit: 4) }
        #expect(try files.names().sorted() == ["a", "b"])
        #expect(try files.names(limit: 1).count == 1)
        #expect(try files.names { $0 == "b" } == ["b"])
        #expect(try files.remove("a"))
        #expect(try !files.remove("a"))
    }

    @Test("Whoever makes a file has its lock for as long as it is open, and nobody else has the name")
    func locking() throws {
        let place = try Place()
        let files = try PrivateDirectory(place.path, isMade: false, safety: .ownUser)
        let made = try #require(try files.make("a"))
        #expect(try files.make("a") == nil)
        let other = try Syscalls.open("\(place.path)/a")
        defer { Syscalls.close(other) }
        #expect(FileLock.isFree(other) == false)
        #expect(FileLock.tryLock(other) == false)
        var visits = 0
        try files.ifAbandoned("a") { () throws(FileError) in visits += 1 }
        #expect(visits == 0)
        Syscalls.close(made)
        #expect(FileLock.isFree(other) == true)
        FileLock.unlock(other)
        try files.ifAbandoned("a") { () throws(FileError) in visits += 1 }
        #expect(visits == 1)
    }

    @Test("Files are written in place of others, and nothing unfinished stays", arguments: [1, 7, 8, 20])
    func replacing(count: Int) throws {
        let place = try Place()
        let files = try PrivateDirectory(place.path, isMade: false, safety: .ownUser)
        for round in 0..<2 {
            let bytes = (0..<count).map { Array("\(round) of \($0)".utf8) }
            let results = files.replace(bytes.enumerated().map { .init(name: "\($0.offset)", bytes: $0.element) })
            for result in results { try result.get() }
            #expect(try bytes.indices.map { try files.read("\($0)", limit: 100)?.bytes } == bytes)
        }
        #expect(try files.names().count == count)
    }

    @Test("Where one of several cannot have its name the others have theirs")
    func failing() throws {
        let place = try Place()
        let files = try PrivateDirectory(place.path, isMade: false, safety: .ownUser)
        try Syscalls.makeDirectory("\(place.path)/b", mode: .ownerReadWriteExecute)
        let results = files.replace(["a", "b", "c"].map { .init(name: $0, bytes: [1]) })
        #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
        #expect(try files.names().sorted() == ["a", "b", "c"])
    }
}

struct FileMappingTests {
    @Test("What is written to a mapping is in the file, and what becomes of the file is told")
    func loss() throws {
        let place = try Place()
        let files = try PrivateDirectory(place.path, isMade: false, safety: .ownUser)
        let mapping = try FileMapping(try #require(try files.make("a")), bytes: 10_000)
        unsafe mapping.base.storeBytes(of: 7, toByteOffset: 9_999, as: UInt8.self)
        #expect(try mapping.contents() == [UInt8](repeating: 0, count: 9_999) + [7])
        #expect(mapping.loss == nil)
        try files.remove("a")
        #expect(mapping.loss == .removed)
    }

    @Test("Whoever cuts the file off ends nothing but what is kept in it")
    func truncation() throws {
        let place = try Place()
        let files = try PrivateDirectory(place.path, isMade: false, safety: .ownUser)
        let mapping = try FileMapping(try #require(try files.make("a")), bytes: 1 << 20)
        try Syscalls.truncate("\(place.path)/a", to: 0)
        unsafe mapping.base.storeBytes(of: 7, toByteOffset: 500_000, as: UInt8.self)
        #expect(mapping.loss == .truncated)
    }

    @Test(
        "A bus error that has nothing to do with a mapping is handled as if there were none", arguments: [true, false])
    func foreignBusErrors(isHandled: Bool) async {
        // What is run elsewhere can capture nothing.
        if isHandled {
            await #expect(processExitsWith: .exitCode(42)) {
                signal(SIGBUS) { _ in _exit(42) }
                try Self.mapAndRaise()
            }
        } else {
            await #expect(processExitsWith: .signal(SIGBUS)) {
                // A sanitizer has a handler of its own.
                signal(SIGBUS, SIG_DFL)
                try Self.mapAndRaise()
            }
        }
    }

    private static func mapAndRaise() throws {
        let place = try Place()
        let files = try PrivateDirectory(place.path, isMade: false, safety: .ownUser)
        let mapping = try FileMapping(try #require(try files.make("a")), bytes: 4096)
        // Nothing is left behind: the process ends at once.
        try Syscalls.removeFile(place.path + "/a")
        try Syscalls.removeDirectory(place.path)
        raise(SIGBUS)
        withExtendedLifetime(mapping) {}
    }
}
