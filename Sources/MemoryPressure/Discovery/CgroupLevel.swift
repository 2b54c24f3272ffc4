/// The two generations of Linux's control groups.
public enum CgroupVersion: Sendable, Hashable, CustomStringConvertible {
    /// One hierarchy a controller.
    case v1
    /// The unified hierarchy.
    case v2

    /// `v1` or `v2`.
    public var description: String { self == .v1 ? "v1" : "v2" }
}

/// One cgroup whose memory accounting covers the process: its own, or an ancestor's.
public struct CgroupLevel: Sendable, Equatable {
    /// The generation of the hierarchy that the memory controller is on.
    public var version: CgroupVersion
    /// The last component of its path, `/` for the top of what is visible.
    public var name: String
    /// Its directory, inside the kernel root.
    public var directory: String
    /// Bytes: `memory.max`, or v1's `memory.limit_in_bytes`; nil where there is no limit.
    public var hardLimitBytes: Int?
    /// Bytes: `memory.high`; nil where none is set, and always on v1.
    public var highLimitBytes: Int?
    /// Bytes charged to it, page cache included; nil where that cannot be read.
    public var usageBytes: Int?
    /// Bytes charged to it that cannot be taken back for free; nil where `memory.stat` cannot be read.
    public var unreclaimableBytes: Int?

    /// Bytes between what cannot be taken back and the hard limit, never negative; nil where either is not known.
    public var headroomBytes: Int? {
        guard let hardLimitBytes, let unreclaimableBytes else { return nil }
        return max(0, hardLimitBytes - unreclaimableBytes)
    }

    /// A level as found.
    public init(
        version: CgroupVersion, name: String, directory: String, hardLimitBytes: Int? = nil,
        highLimitBytes: Int? = nil, usageBytes: Int? = nil, unreclaimableBytes: Int? = nil
    ) {
        self.version = version
        self.name = name
        self.directory = directory
        self.hardLimitBytes = hardLimitBytes
        self.highLimitBytes = highLimitBytes
        self.usageBytes = usageBytes
        self.unreclaimableBytes = unreclaimableBytes
    }
}
