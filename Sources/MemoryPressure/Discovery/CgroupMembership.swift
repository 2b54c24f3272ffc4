/// The cgroups that a process is in, from the text of `/proc/PID/cgroup`.
package struct CgroupMembership: Sendable, Equatable {
    /// The path in the v2 hierarchy (the line `0::`); nil where there is none.
    package var v2: String?
    /// The path in the v1 hierarchy that has the memory controller; nil where it is not on v1.
    package var v1Memory: String?

    /// Lines are `ID:CONTROLLERS:PATH`; a path may itself hold colons. Lines of any other form are passed over.
    package init(parsing text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].hasPrefix("/") else { continue }
            let path = Self.undeleted(fields[2])
            if fields[0] == "0", fields[1].isEmpty {
                v2 = path
            } else if fields[1].split(separator: ",").contains("memory") {
                v1Memory = path
            }
        }
    }

    /// The kernel marks the path of a removed cgroup, in which only a dying process can be.
    private static func undeleted(_ path: Substring) -> String {
        path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : String(path)
    }
}
