import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A directory for one test, removed with its files when the test lets go of it.
final class TestDirectory {
    let path: FilePath
    private var names: Set<String> = []

    init() throws {
        path = FilePath("/tmp/jetsam-configuration-test-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        guard unsafe mkdir(path.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
    }

    deinit {
        for name in names { unsafe unlink(path.appending(name).string) }
        unsafe rmdir(path.string)
    }

    @discardableResult
    func write(_ text: String, to name: String) throws -> FilePath {
        names.insert(name)
        let file = try FileDescriptor.open(
            path.appending(name), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        defer { try? file.close() }
        try file.writeAll(text.utf8)
        return path.appending(name)
    }

    @discardableResult
    func makeFIFO(_ name: String) throws -> FilePath {
        names.insert(name)
        guard unsafe mkfifo(path.appending(name).string, 0o600) == 0 else { throw Errno(rawValue: errno) }
        return path.appending(name)
    }

    func remove(_ name: String) {
        unsafe unlink(path.appending(name).string)
    }
}
