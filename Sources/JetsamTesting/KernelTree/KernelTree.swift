public import MemoryPressure
public import SystemPackage

/// A made-up machine: a temporary directory with the kernel files that this library reads, to be set as a test likes.
///
/// Files are rewritten in place, so that a reader that keeps them open sees every change. They cannot wake anybody: PSI
/// triggers meet EACCES here and `memory.events` cannot be polled, which is what an ordinary container offers. The
/// directory is removed with the tree, at the latest when the last reference to it is gone.
///
/// ```swift
/// let tree = try KernelTree.v2(limit: 512 << 20)
/// tree.setUnreclaimable(bytes: 400 << 20)
/// let reader = try KernelReader(root: tree.root)
/// ```
public final class KernelTree: Sendable {
    struct State {
        var model: KernelTreeModel
        var files: KernelTreeFiles
        var root: KernelRoot
        /// Files that were broken on purpose, and are not written any more.
        var broken: Set<String> = []
    }

    /// The number that v1 writes where there is no limit, with pages of 4 KiB.
    static let v1Unlimited = 9_223_372_036_854_771_712

    /// The arrangement of the control groups.
    public let layout: KernelTreeLayout
    let state: Lock<State>

    /// Makes a tree.
    /// - Parameters:
    ///   - layout: The arrangement of the control groups.
    ///   - limit: Bytes: the own cgroup's hard limit; nil for none.
    ///   - high: Bytes: the own cgroup's `memory.high`; nil for none. Nothing on v1.
    ///   - ancestorLimits: Bytes: hard limits of the ancestors, the parent's first; nil for none. Without effect where the
    ///     layout shows no ancestors.
    ///   - total: Bytes: the machine's memory.
    ///   - available: Bytes: the machine's MemAvailable.
    /// - Throws: `Errno` where the temporary directory cannot be made.
    public init(
        _ layout: KernelTreeLayout, limit: Int? = nil, high: Int? = nil, ancestorLimits: [Int?] = [],
        total: Int = 16 << 30, available: Int = 12 << 30
    ) throws(Errno) {
        self.layout = layout
        let names = ["/server"] + ancestorLimits.indices.map { "/box\($0)" }
        let limits = [limit] + (layout.showsAncestors ? ancestorLimits : [])
        let levels = limits.indices.map { index in
            KernelTreeModel.Level(
                path: names[index..<limits.count].reversed().joined(), limit: limits[index],
                high: index == 0 ? high : nil)
        }
        let model = KernelTreeModel(
            layout: layout, levels: layout.kind == .bare ? [] : levels, totalBytes: total, availableBytes: available)
        let files = try KernelTreeFiles()
        var root = KernelRoot(path: files.directory)
        root.scarcity = DescriptorScarcity()
        state = Lock(State(model: model, files: files, root: root))
        do throws(Errno) {
            try state.withLock { state throws(Errno) in try state.layOut() }
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    /// Deletes the directory. What is open stays readable; setting something has no effect any more.
    public func remove() {
        state.withLock { $0.files.deleteAll() }
    }

    /// The root to hand to whatever reads kernel files.
    public var root: KernelRoot {
        state.withLock { $0.root }
    }

    /// The directory, inside the root, of the own cgroup (0) or of an ancestor (1 for the parent, and so on) in the
    /// hierarchy that the memory controller is on; nil where there is none.
    public func directory(level: Int = 0) -> String? {
        state.withLock { state in
            state.model.levels.indices.contains(level) ? state.directory(level) : nil
        }
    }

    /// The PSI file of the own cgroup, inside the root; where it has none, the machine's.
    public var pressurePath: String {
        state.withLock { $0.pressurePaths[0] }
    }

    func change(_ body: (inout State) throws(Errno) -> Void) {
        do throws(Errno) {
            try state.withLock { state throws(Errno) in if !state.files.isRemoved { try body(&state) } }
        } catch {
            // A test that cannot set its scene must not go on as if it had.
            preconditionFailure("a made-up kernel file cannot be written: \(error)")
        }
    }
}
