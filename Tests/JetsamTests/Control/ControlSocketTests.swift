import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

#if os(Linux)
    struct ControlSocketTests {
        private let base: TemporaryDirectory
        private var directory: FilePath { base.path.appending("jetsam") }

        init() throws {
            base = try TemporaryDirectory()
        }

        @Test("The directory is made for this user alone, and so is the socket; both show whose it is")
        func modes() throws {
            let socket = try ControlSocket(directory: directory.string, process: 4711)
            #expect(socket.path == directory.appending("4711.sock").string)
            #expect(try TemporaryDirectory.mode(directory) == 0o700)
            #expect(try TemporaryDirectory.mode(directory.appending("4711.sock")) == 0o600)
        }

        @Test("The socket is gone when it is let go, and the directory stays")
        func removal() throws {
            do {
                let socket = try ControlSocket(directory: directory.string, process: 4711)
                #expect(try TemporaryDirectory.names(directory) == ["4711.sock"])
                _ = socket
            }
            #expect(try TemporaryDirectory.names(directory).isEmpty)
        }

        @Test("Another's socket of the same name, made meanwhile, is left alone")
        func replaced() throws {
            var socket: ControlSocket? = try ControlSocket(directory: directory.string, process: 4711)
            #expect(unsafe unlink(directory.appending("4711.sock").string) == 0)
            let other = try Syscalls.bindStream(to: directory.appending("4711.sock").string)
            defer { Syscalls.close(other) }
            #expect(socket != nil)
            socket = nil
            #expect(try TemporaryDirectory.names(directory) == ["4711.sock"])
        }

        @Test("A socket that another process has bound and does not listen on yet is left alone")
        func notListeningYet() throws {
            let first = try ControlSocket(directory: directory.string, process: 1)
            let unfinished = directory.appending("2-4711.sock-new")
            let other = try Syscalls.bindStream(to: unfinished.string)
            defer { Syscalls.close(other) }
            let third = try ControlSocket(directory: directory.string, process: 3)
            #expect(try TemporaryDirectory.names(directory).sorted() == ["1.sock", "2-4711.sock-new", "3.sock"])
            withExtendedLifetime((first, third)) {}
        }

        @Test("Of processes that begin in one directory at the same time each has its socket")
        func together() async throws {
            let path = directory.string
            _ = try ControlSocket(directory: path, process: 1)
            for round in 0..<20 {
                let sockets = Lock<[ControlSocket]>([])
                let gate = Gate()
                for process in 0..<8 {
                    try ServiceThread.start("starts") {
                        // Nothing of it may be left here once the round is over.
                        do {
                            let socket = try? ControlSocket(directory: path, process: Int32(1 + round * 8 + process))
                            if let socket { sockets.withLock { $0.append(socket) } }
                        }
                        gate.arrive()
                    }
                }
                await gate.waitForArrivals(8)
                let all = sockets.withLock { $0 }
                #expect(all.count == 8)
                #expect(all.allSatisfy { !$0.isRemoved })
                #expect(try TemporaryDirectory.names(directory).count == 8)
                sockets.withLock { $0 = [] }
            }
        }

        @Test("A directory that others can enter is refused", arguments: [0o755, 0o750, 0o701, 0o777] as [mode_t])
        func openToOthers(mode: mode_t) throws {
            #expect(unsafe mkdir(directory.string, 0o700) == 0)
            #expect(unsafe chmod(directory.string, mode) == 0)
            let error = #expect(throws: ControlSocketError.self) {
                try ControlSocket(directory: directory.string, process: 1)
            }
            #expect(error?.description.contains("it must be this user's, mode 700") == true)
            #expect(try TemporaryDirectory.names(directory).isEmpty)
        }

        @Test("A directory of somebody else, a link, and one without a parent are refused")
        func notOurs() throws {
            #expect(unsafe mkdir(directory.string, 0o700) == 0)
            let link = base.path.appending("link")
            #expect(unsafe symlink(directory.string, link.string) == 0)
            #expect(throws: ControlSocketError.self) { try ControlSocket(directory: link.string, process: 1) }
            let deep = base.path.appending("a").appending("b")
            let error = #expect(throws: ControlSocketError.self) {
                try ControlSocket(directory: deep.string, process: 1)
            }
            #expect(error?.description.contains("ENOENT") == true)
            if geteuid() == 0 {
                #expect(unsafe chown(directory.string, 1234, 1234) == 0)
                #expect(throws: ControlSocketError.self) { try ControlSocket(directory: directory.string, process: 1) }
            }
        }

        @Test("A path that is longer than a socket's address can be works all the same")
        func longPath() throws {
            var path = base.path
            for _ in 0..<3 {
                path = path.appending(String(repeating: "d", count: 100))
                #expect(unsafe mkdir(path.string, 0o700) == 0)
            }
            let socket = try ControlSocket(directory: path.string, process: 4711)
            #expect(try TemporaryDirectory.names(path) == ["4711.sock"])
            #expect(socket.path.utf8.count > 300)
            #expect(throws: Errno.fileNameTooLong) { try Syscalls.connect(to: socket.path) }
        }

        @Test("Sockets that nobody listens on are removed; those of others and other files are not")
        func stale() throws {
            let living = try ControlSocket(directory: directory.string, process: 10)
            for name in ["11.sock", "4711.sock", "other.sock"] {
                Syscalls.close(try Syscalls.bindStream(to: directory.appending(name).string))
            }
            for name in ["12.sock", "note.txt"] {
                try FileDescriptor.open(
                    directory.appending(name), .writeOnly, options: .create, permissions: .ownerReadWrite
                ).close()
            }
            let socket = try ControlSocket(directory: directory.string, process: 4711)
            #expect(
                try TemporaryDirectory.names(directory) == [
                    "10.sock", "12.sock", "4711.sock", "note.txt", "other.sock",
                ])
            withExtendedLifetime((living, socket)) {}
        }

        @Test("Where another process of the same number serves the directory, this one gives way")
        func sameNumber() throws {
            let first = try ControlSocket(directory: directory.string, process: 1)
            let error = #expect(throws: ControlSocketError.self) {
                try ControlSocket(directory: directory.string, process: 1)
            }
            #expect(error?.description.contains("another process with the same PID") == true)
            Syscalls.close(try Syscalls.connect(to: first.path))
        }

        @Test(
            "The directory is the configured one, else jetsam in the user's",
            arguments: [
                (["XDG_RUNTIME_DIR": "/run/user/7"], "/run/user/7/jetsam"),
                (["XDG_RUNTIME_DIR": "/run/user/7/"], "/run/user/7/jetsam"), (["XDG_RUNTIME_DIR": "here"], nil),
                ([:], nil),
            ] as [([String: String], String?)])
        func defaults(variables: [String: String], directory: String?) {
            #expect(ControlSocket.defaultDirectory(variables) == directory)
        }
    }
#endif
