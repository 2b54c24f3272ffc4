/// One mounted cgroup hierarchy, from a line of `/proc/self/mountinfo`.
package struct CgroupMount: Sendable, Equatable {
    package var version: CgroupVersion
    /// The path, within the hierarchy, of what is mounted: `/`, a cgroup's path for a bind mount, or `/..` and the like
    /// where the mount was made outside this cgroup namespace.
    package var root: String
    /// The directory where it is mounted, inside the kernel root.
    package var mountPoint: String

    /// The v2 hierarchies and the v1 hierarchies with the memory controller, in the file's order.
    package static func parse(_ text: String) -> [CgroupMount] {
        text.split(separator: "\n").compactMap { line in
            // ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAGS…] - TYPE SOURCE SUPEROPTIONS
            let fields = line.split(separator: " ")
            guard let dash = fields.dropFirst(6).firstIndex(of: "-"), fields.count > dash + 1 else { return nil }
            let (root, point) = (unescaped(fields[3]), unescaped(fields[4]))
            guard root.hasPrefix("/"), point.hasPrefix("/") else { return nil }
            switch fields[dash + 1] {
            case "cgroup2":
                return CgroupMount(version: .v2, root: root, mountPoint: point)
            case "cgroup":
                let options = fields.count > dash + 3 ? fields[dash + 3].split(separator: ",") : []
                return options.contains("memory") ? CgroupMount(version: .v1, root: root, mountPoint: point) : nil
            default:
                return nil
            }
        }
    }

    /// Returns the places where the cgroup `path` is found through this mount: its directory, then the directories of its
    /// ancestors up to the mount point, nearest first. Nil where the cgroup is not below what is mounted.
    package func directories(of path: String) -> [String]? {
        let wanted = Self.components(path), mounted = Self.components(root)
        let below: ArraySlice<String>
        if wanted.starts(with: mounted) {
            below = wanted.dropFirst(mounted.count)
            // A cgroup beside or above the namespace's root has no name below the mount.
            if below.contains("..") { return nil }
        } else if mounted.allSatisfy({ $0 == ".." }), mounted.count > wanted.prefix(while: { $0 == ".." }).count {
            // The mount shows an ancestor of the namespace's root. By which name the cgroup is found below it cannot
            // be known; the ancestor itself can be read.
            below = []
        } else {
            return nil
        }
        let point = mountPoint == "/" ? "" : mountPoint
        return (0...below.count).reversed().map { count in
            let inner = below.prefix(count).map { "/" + $0 }.joined()
            return point + inner == "" ? "/" : point + inner
        }
    }

    /// Undoes the octal escapes of mountinfo: `\040` is a space.
    private static func unescaped(_ field: Substring) -> String {
        guard field.contains("\\") else { return String(field) }
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == 0x5C, digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) {
                bytes.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }))
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func components(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init)
    }
}
