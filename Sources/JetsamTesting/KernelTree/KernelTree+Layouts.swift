public import SystemPackage

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
