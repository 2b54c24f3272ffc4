import CTestProcesses
import Synchronization

@testable import MemoryPressure

/// A cgroup of the test's own, with a memory limit and a `memory.pressure`, and the child processes in it. Everything is
/// removed with it, also when the test fails.
///
/// Where the memory controller is on v1 it is a v1 cgroup below this process's own, and a v2 one beside it for PSI; where it
/// is on v2 it is one v2 cgroup.
final class TestCgroup: Sendable {
    /// Why none can be made here; nil where it can.
    static let obstacle: String? = {
        do throws(Problem) {
            _ = try TestCgroup(limit: nil)
            return nil
        } catch {
            return error.description
        }
    }()

    static var isPossible: Bool { obstacle == nil }

    struct Problem: Error, CustomStringConvertible { var description: String }

    private static let count = Atomic<Int>(0)

    let version: CgroupVersion
    /// With the memory controller.
    let directory: String
    /// With `memory.pressure`; the same on v2.
    let pressureDirectory: String
    private let children = Lock<[Int32]>([])

    /// - Parameter limit: Bytes: a hard limit on v1; on v2, where a child would be killed at it, `memory.high`.
    init(limit: Int?) throws(Problem) {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        let name = "/jetsam-test-\(processID)-\(number)"
        let tops = try Self.tops()
        _ = Self.hasSwept
        version = tops.version
        directory = tops.memory + name
        pressureDirectory = tops.pressure + name
        try Self.make(directory)
        if pressureDirectory != directory { try Self.make(pressureDirectory) }
        if let limit { try setLimit(limit) }
    }

    deinit {
        remove()
    }

    /// The generation that the memory controller is on here; nil where no cgroup can be made.
    static let version: CgroupVersion? = try? TestCgroup(limit: nil).version

    /// Ends the children and removes the cgroup.
    func remove() {
        for child in children.withLock({ children in children.clear() }) { _ = test_process_end(child) }
        _ = removeDirectory(pressureDirectory)
        if pressureDirectory != directory { _ = removeDirectory(directory) }
    }

    func setLimit(_ bytes: Int) throws(Problem) {
        try write(version == .v1 ? "memory.limit_in_bytes" : "memory.high", "\(bytes)")
    }

    func setHardLimit(_ bytes: Int) throws(Problem) {
        try write(version == .v1 ? "memory.limit_in_bytes" : "memory.max", "\(bytes)")
    }

    /// Starts a child in it.
    @discardableResult
    func start(_ work: test_process_work, file: String? = nil, bytes: Int = 0) throws(Problem) -> Int32 {
        let other = pressureDirectory == directory ? nil : pressureDirectory + "/cgroup.procs"
        let child = unsafe test_process_start(
            directory + "/cgroup.procs", other, CInt(work.rawValue), file, bytes)
        guard child > 0 else { throw Problem(description: "no child process: errno \(-child)") }
        children.withLock { $0.append(child) }
        return child
    }

    /// Moves a child here from another cgroup.
    func adopt(_ child: Int32, from other: TestCgroup) throws(Problem) {
        try write("cgroup.procs", "\(child)")
        if pressureDirectory != directory { try write("cgroup.procs", "\(child)", in: pressureDirectory) }
        other.children.withLock { $0.removeAll { $0 == child } }
        children.withLock { $0.append(child) }
    }

    func end(_ child: Int32) {
        children.withLock { $0.removeAll { $0 == child } }
        _ = test_process_end(child)
    }

    func write(_ file: String, _ text: String, in directory: String? = nil) throws(Problem) {
        let directory = directory ?? self.directory
        do {
            let descriptor = try Syscalls.open(directory + "/" + file, .writing)
            defer { Syscalls.close(descriptor) }
            try Syscalls.write(descriptor, Array(text.utf8))
        } catch {
            throw Problem(description: "\(directory)/\(file): \(ErrnoText.name(error))")
        }
    }

    private static func tops() throws(Problem) -> (version: CgroupVersion, memory: String, pressure: String) {
        do {
            let mounts = CgroupMount.parse(
                String(decoding: try Syscalls.contents(of: "/proc/self/mountinfo"), as: UTF8.self))
            let membership = CgroupMembership(
                parsing: String(decoding: try Syscalls.contents(of: "/proc/self/cgroup"), as: UTF8.self))
            guard let unified = mounts.first(where: { $0.version == .v2 })?.mountPoint else {
                throw Problem(description: "no cgroup v2 is mounted")
            }
            guard let path = membership.v1Memory else { return (.v2, unified, unified) }
            let own = mounts.lazy.filter { $0.version == .v1 }.compactMap { $0.directories(of: path)?.first }.first
            guard let own else { throw Problem(description: "the own v1 memory cgroup is not visible") }
            return (.v1, own, unified)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(description: "\(error)")
        }
    }

    /// Removes, once, what runs that were killed have left behind: empty cgroups named after a process that is no more.
    private static let hasSwept: Bool = {
        guard let tops = try? tops() else { return false }
        for top in Set([tops.memory, tops.pressure]) {
            for name in names(in: top) where name.hasPrefix("jetsam-test-") {
                guard let owner = name.split(separator: "-").dropFirst(2).first else { continue }
                if !Syscalls.exists("/proc/\(owner)") { _ = removeDirectory("\(top)/\(name)") }
            }
        }
        return true
    }()

    private static func make(_ directory: String) throws(Problem) {
        if let error = makeDirectory(directory) {
            throw Problem(description: "\(directory): \(ErrnoText.name(error))")
        }
    }
}

extension [Int32] {
    fileprivate mutating func clear() -> [Int32] {
        defer { self = [] }
        return self
    }
}
