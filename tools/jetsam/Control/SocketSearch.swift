internal import MemoryPressure
internal import SystemPackage

/// Finds control sockets by what processes have open: nobody has to say in which directory they are.
struct SocketSearch {
    /// Where `/proc` is.
    var proc = "/proc"

    /// The numbers of all processes that can be seen, in order.
    func processes() -> [Int32] {
        Self.names(in: proc).compactMap { Int32($0) }.filter { $0 > 0 }.sorted()
    }

    /// The directories of a process's control sockets, as it sees them; none where it has none, or this user may not look.
    ///
    /// A socket is bound by a name below a descriptor of its directory (`/proc/self/fd/N/…`): the kernel lists that name beside the
    /// socket's number, and the descriptor is a link to the directory.
    func directories(of process: Int32) -> [String] {
        let entry = "\(proc)/\(process)"
        var open: [String: String] = [:]
        for number in Self.names(in: entry + "/fd") {
            open[number] = try? Syscalls.target(ofLink: "\(entry)/fd/\(number)")
        }
        let sockets = Set(open.values.filter { $0.hasPrefix("socket:[") }.map { String($0.dropFirst(8).dropLast()) })
        guard !sockets.isEmpty, let table = try? Syscalls.contents(of: entry + "/net/unix") else { return [] }
        let root = (try? Syscalls.target(ofLink: entry + "/root")) ?? "/"
        var found: [String] = []
        for line in table.split(separator: UInt8(ascii: "\n")) {
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 7)
            guard fields.count == 8, sockets.contains(String(fields[6])), let number = Self.descriptor(in: fields[7]),
                let directory = open[String(number)], directory.hasPrefix("/")
            else { continue }
            let inner =
                root != "/" && directory.hasPrefix(root + "/") ? String(directory.dropFirst(root.count)) : directory
            if !found.contains(inner) { found.append(inner) }
        }
        return found
    }

    /// The descriptor below which a control socket was bound; nil for the name of any other socket.
    static func descriptor(in name: Substring) -> Substring? {
        let prefix = "/proc/self/fd/"
        guard name.hasPrefix(prefix), name.hasSuffix(".sock-new") else { return nil }
        let parts = name.dropFirst(prefix.count).split(separator: "/")
        guard parts.count == 2, parts[0].allSatisfy(\.isNumber) else { return nil }
        return parts[0]
    }

    private static func names(in directory: String) -> [String] {
        do throws(FileError) {
            return try PrivateDirectory(directory, isMade: false, safety: .anybody).names()
        } catch { return [] }
    }
}
