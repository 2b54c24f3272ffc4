package import SystemPackage

/// The place of the kernel's files, and the process that they are read for.
///
/// Everything in this module that opens a kernel file takes one. So the same code reads the real files in production and a
/// made-up tree in tests. With a path other than `/`, `/proc/self/cgroup` is read at `PATH/proc/self/cgroup`. Every mount point
/// that `PATH/proc/self/mountinfo` names is then looked for below `PATH` too.
public struct KernelRoot: Sendable, Hashable {
    /// The directory in which `proc` and the mount points are: `/` on a real machine.
    public var path: String
    /// The process to read for; nil for this process.
    public var processIdentifier: Int32?
    /// Errors that opening or arming a file meets in place of the real outcome, by the file's path inside the root.
    package var faults: [String: KernelFault] = [:]
    /// The switch by which opening a file meets an error for want of descriptors; nil for the real outcome.
    package var scarcity: DescriptorScarcity?
    /// Files that are read from memory in place of the disk; nil for none. Finding the cgroups still goes by the disk.
    package var madeUpFiles: MadeUpFiles?

    /// The files below `path`, for this process or another one.
    public init(path: String = "/", processIdentifier: Int32? = nil) {
        self.path = path
        self.processIdentifier = processIdentifier
    }

    /// The path to hand to the kernel for `inner`, an absolute path inside the root.
    package func outer(_ inner: String) -> String {
        path.hasSuffix("/") ? String(path.dropLast()) + inner : path + inner
    }

    /// Returns the error that opening the file at `inner` to read meets, in place of the real outcome; nil for the real outcome.
    package func readingFault(_ inner: String) -> Errno? {
        scarcity?.error ?? faults[inner]?.reading
    }

    /// The path inside the root of a file of the process, such as `statm`.
    package func process(_ file: String) -> String {
        processIdentifier.map { "/proc/\($0)/\(file)" } ?? "/proc/self/\(file)"
    }
}

/// Errors to meet at one file of a made-up tree. Tests run as root, for whom permission bits stop nothing.
package struct KernelFault: Sendable, Hashable {
    /// The error that opening the file to read meets.
    package var reading: Errno?
    /// The error that opening the file to write meets.
    package var writing: Errno?
    /// The error that writing a trigger into the file meets.
    package var arming: Errno?
    /// The error that ends a watch on the file while the watch is still being set up.
    package var dying: Errno?

    package init(reading: Errno? = nil, writing: Errno? = nil, arming: Errno? = nil, dying: Errno? = nil) {
        self.reading = reading
        self.writing = writing
        self.arming = arming
        self.dying = dying
    }
}

/// Has openings to read meet EMFILE, for as long as it is told so: at a real shortage every other test would be short too.
package final class DescriptorScarcity: Sendable, Hashable {
    private let isScarce = Lock(false)

    package init() {}

    package var error: Errno? { isScarce.withLock { $0 } ? .tooManyOpenFiles : nil }

    package func set(_ isScarce: Bool) { self.isScarce.withLock { $0 = isScarce } }

    package static func == (first: DescriptorScarcity, second: DescriptorScarcity) -> Bool { first === second }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
