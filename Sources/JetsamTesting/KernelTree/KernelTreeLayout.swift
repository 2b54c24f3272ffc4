public import SystemPackage

/// The arrangement of a made-up machine's control groups.
public struct KernelTreeLayout: Sendable, Hashable, CustomStringConvertible {
    enum Kind: String { case v2, v1, hybrid, namespaced, readOnly, bindMounted, bare }

    let kind: Kind

    /// Cgroup v2 alone, seen from the host: the machine's real root is visible and has no limit files.
    public static let v2 = KernelTreeLayout(kind: .v2)
    /// The memory controller on cgroup v1, no v2 hierarchy.
    public static let v1 = KernelTreeLayout(kind: .v1)
    /// The memory controller on cgroup v1, and a v2 hierarchy beside it whose cgroups have a `memory.pressure`.
    public static let hybrid = KernelTreeLayout(kind: .hybrid)
    /// Cgroup v2 inside a cgroup namespace: the process's own cgroup is the root of all that it sees.
    public static let namespaced = KernelTreeLayout(kind: .namespaced)
    /// An ordinary container: namespaced v2, mounted read-only, so that opening to write meets EROFS.
    public static let readOnly = KernelTreeLayout(kind: .readOnly)
    /// A v1 container without a cgroup namespace: its cgroup alone is mounted, while `/proc/self/cgroup` tells the host's path.
    public static let bindMounted = KernelTreeLayout(kind: .bindMounted)
    /// No cgroups at all.
    public static let bare = KernelTreeLayout(kind: .bare)

    /// Every layout, for tests that go through all of them.
    public static let all: [KernelTreeLayout] = [
        .v2, .v1, .hybrid, .namespaced, .readOnly, .bindMounted, .bare,
    ]

    /// The layout's name.
    public var description: String { kind.rawValue }

    var isV2: Bool { [.v2, .namespaced, .readOnly].contains(kind) }
    var isV1: Bool { [.v1, .hybrid, .bindMounted].contains(kind) }
    /// Indicates whether ancestors of the process's cgroup can be seen.
    var showsAncestors: Bool { [.v2, .v1, .hybrid].contains(kind) }
}

extension KernelTree {
    /// Cgroup v2 alone, seen from the host. Sizes in bytes; see ``init(_:limit:high:ancestorLimits:total:available:)``.
    public static func v2(
        limit: Int? = nil, high: Int? = nil, ancestorLimits: [Int?] = [], total: Int = 16 << 30,
        available: Int = 12 << 30
    ) throws(Errno) -> KernelTree {
        try KernelTree(
            .v2, limit: limit, high: high, ancestorLimits: ancestorLimits, total: total, available: available)
    }

    /// The memory controller on cgroup v1. Sizes in bytes; see ``init(_:limit:high:ancestorLimits:total:available:)``.
    public static func v1(
        limit: Int? = nil, ancestorLimits: [Int?] = [], total: Int = 16 << 30, available: Int = 12 << 30
    ) throws(Errno) -> KernelTree {
        try KernelTree(.v1, limit: limit, ancestorLimits: ancestorLimits, total: total, available: available)
    }

    /// The memory controller on v1 beside a v2 hierarchy. Sizes in bytes; see ``init(_:limit:high:ancestorLimits:total:available:)``.
    public static func hybrid(
        limit: Int? = nil, ancestorLimits: [Int?] = [], total: Int = 16 << 30, available: Int = 12 << 30
    ) throws(Errno) -> KernelTree {
        try KernelTree(.hybrid, limit: limit, ancestorLimits: ancestorLimits, total: total, available: available)
    }

    /// Cgroup v2 in a cgroup namespace. Sizes in bytes; see ``init(_:limit:high:ancestorLimits:total:available:)``.
    public static func namespaced(
        limit: Int? = nil, high: Int? = nil, total: Int = 16 << 30, available: Int = 12 << 30
    ) throws(Errno) -> KernelTree {
        try KernelTree(.namespaced, limit: limit, high: high, total: total, available: available)
    }

    /// An ordinary container, cgroup v2 mounted read-only. Sizes in bytes; see ``init(_:limit:high:ancestorLimits:total:available:)``.
    public static func readOnly(
        limit: Int? = nil, high: Int? = nil, total: Int = 16 << 30, available: Int = 12 << 30
    ) throws(Errno) -> KernelTree {
        try KernelTree(.readOnly, limit: limit, high: high, total: total, available: available)
    }
}
