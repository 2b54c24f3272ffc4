internal import _StressPatterns

/// The directories under which this process may try to make a cgroup: its own one first, then each above it that can be
/// seen, up to the top of the mount.
struct CgroupPlaces: Equatable {
    /// Version 2, whether or not the memory controller is there.
    var unified: [String] = []
    /// The version 1 hierarchy that has the memory controller.
    var memory: [String] = []

    /// - Parameters:
    ///   - cgroup: The text of `/proc/self/cgroup`.
    ///   - mounts: The text of `/proc/self/mountinfo`.
    init(cgroup: String, mounts: String) {
        var unifiedPath: String?
        var memoryPath: String?
        for line in cgroup.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[0] == "0", fields[1].isEmpty { unifiedPath = String(fields[2]) }
            if fields[1].split(separator: ",").contains("memory") { memoryPath = String(fields[2]) }
        }
        for mount in mounts.split(separator: "\n").compactMap(Mount.init) {
            if mount.type == "cgroup2", unified.isEmpty, let unifiedPath {
                unified = mount.directories(for: unifiedPath)
            }
            if mount.type == "cgroup", mount.options.contains("memory"), memory.isEmpty, let memoryPath {
                memory = mount.directories(for: memoryPath)
            }
        }
    }

    /// The places of this process.
    static func current() -> CgroupPlaces {
        CgroupPlaces(
            cgroup: (try? System.text(of: "/proc/self/cgroup")) ?? "",
            mounts: (try? System.text(of: "/proc/self/mountinfo")) ?? ""
        )
    }
}

/// One line of `/proc/self/mountinfo`.
private struct Mount {
    var root: String
    var point: String
    var type: String
    var options: [Substring]

    init?(line: Substring) {
        let fields = line.split(separator: " ")
        guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count > dash + 3 else { return nil }
        root = Self.unescaped(fields[3])
        point = Self.unescaped(fields[4])
        type = String(fields[dash + 1])
        options = fields[dash + 3].split(separator: ",")
    }

    /// The kernel writes blanks and backslashes in paths as three octal digits.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where a cgroup and those above it are seen under this mount. A container's bind mount starts at a root of its own,
    /// which the cgroup's path begins with; a path that leads out of the mount counts as its top.
    func directories(for path: String) -> [String] {
        var names = path.split(separator: "/")
        let rootNames = root.split(separator: "/")
        if names.starts(with: rootNames) { names.removeFirst(rootNames.count) } else { names = [] }
        if names.contains("..") { names = [] }
        var result: [String] = []
        while !names.isEmpty {
            result.append(point + "/" + names.joined(separator: "/"))
            names.removeLast()
        }
        return result + [point]
    }
}
