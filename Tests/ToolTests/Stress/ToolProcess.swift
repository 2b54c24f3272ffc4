import Dispatch
import MemoryPressure
import SystemPackage

@testable import _StressPatterns
@testable import jetsam_stress

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A built command, `jetsam-stress` by default, as a child process. What it leaves behind is ended and removed when the
/// test lets go of it.
final class ToolProcess: Sendable {
    /// A built command, beside the tests' own executable.
    static func path(of tool: String) -> String {
        guard let own = unsafe realpath("/proc/self/exe", nil) else { return tool }
        defer { unsafe free(own) }
        return unsafe FilePath(String(cString: own)).removingLastComponent().appending(tool).string
    }

    static let tool = path(of: "jetsam-stress")

    /// Whether this is a build for a sanitizer, whose shadow memory multiplies what a process takes.
    static let isSanitized = ["__tsan_init", "__asan_init"].contains { (name: String) in unsafe dlsym(nil, name) != nil
    }

    static let canLimit: Bool = {
        (try? LimitedGroup(.init(hardBytes: 64 << 20))) != nil
    }()

    let process: Int32
    private let directory: TemporaryDirectory
    private let ended = Lock<System.ProcessEnd?>(nil)

    /// - Parameter environment: Variables for it alone, such as `LD_PRELOAD=libmimalloc.so.2`.
    init(
        _ arguments: [String], in directory: TemporaryDirectory, tool: String = "jetsam-stress",
        environment: [String] = []
    ) throws {
        self.directory = directory
        let script = #"out=$1; err=$2; shift 2; exec "$@" > "$out" 2> "$err""#
        process = try System.spawn(
            "/bin/sh",
            ["sh", "-c", script, "sh", directory.path + "/out", directory.path + "/err"]
                + (environment.isEmpty ? [] : ["env"] + environment) + [Self.path(of: tool)] + arguments
        )
    }

    deinit {
        if ended.withLock({ $0 }) == nil {
            send(SIGKILL)
            _ = Self.wait(for: process)
        }
        for path in groups { CgroupDirectory.remove(path) }
    }

    var output: String { (try? System.text(of: directory.path + "/out")) ?? "" }
    var errors: String { (try? System.text(of: directory.path + "/err")) ?? "" }

    /// The cgroups of this run that exist now.
    var groups: [String] {
        let places = CgroupPlaces.current()
        return (places.memory + places.unified).map { "\($0)/\(LimitedGroup.namePrefix)\(process)" }
            .filter(Syscalls.exists)
    }

    func send(_ signal: Int32) {
        System.send(signal, to: process)
    }

    /// Waits without holding up the other tests.
    func end() async -> System.ProcessEnd {
        let end = await Self.inBackground { [process] in Self.wait(for: process) }
        ended.withLock { $0 = end }
        return end
    }

    /// Everything that is written to a FIFO until its last writer closes it.
    static func contents(ofFIFO path: String) async -> String {
        await inBackground {
            guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) else {
                return ""
            }
            defer { try? file.close() }
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64)
            while let count = try? unsafe buffer.withUnsafeMutableBytes({ try unsafe file.read(into: $0) }), count > 0 {
                text += buffer[..<count]
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// Opens a FIFO for reading, which takes until somebody writes.
    static func open(_ path: String) async throws -> FileDescriptor {
        try await inBackground { Result { try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) } }
            .get()
    }

    /// How many bytes come next; 0 at the end, -1 for an error.
    static func bytes(from file: FileDescriptor) async -> Int {
        await inBackground {
            var buffer = [UInt8](repeating: 0, count: 64)
            return (try? unsafe buffer.withUnsafeMutableBytes { try unsafe file.read(into: $0) }) ?? -1
        }
    }

    /// Not on a global queue: its few threads are the ones that all tests run on, and a test may have to go on before `body` ends.
    private static func inBackground<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "tool-process").async { continuation.resume(returning: body()) }
        }
    }

    private static func wait(for process: Int32) -> System.ProcessEnd {
        var information = unsafe siginfo_t()
        // Leaves the end to be collected by `reap`.
        while unsafe waitid(P_PID, UInt32(process), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        return System.reap(process) ?? .exited(-1)
    }
}
