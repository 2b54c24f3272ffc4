internal import MemoryPressure
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Short texts from the kernel's files, by their paths inside a root.
struct KernelText {
    let root: KernelRoot

    func exists(_ path: String) -> Bool { Syscalls.exists(root.outer(path)) }

    func contents(_ path: String) throws(Errno) -> String {
        if let fault = root.faults[path]?.reading { throw fault }
        return String(decoding: try Syscalls.contents(of: root.outer(path)), as: UTF8.self)
    }

    /// The file without blanks at its end; nil where it cannot be read.
    func line(_ path: String) -> String? {
        guard let text = try? contents(path) else { return nil }
        return text.split(separator: "\n", omittingEmptySubsequences: true).first.map(String.init)
    }

    /// The words behind `name` on the line that begins with it.
    func field(_ name: String, of path: String) -> [Substring]? {
        guard let text = try? contents(path) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.dropFirst(name.count).split { $0 == " " || $0 == "\t" }
    }

    /// Bytes, from a line of `/proc/meminfo`.
    func memory(_ name: String) -> Int? {
        field(name, of: "/proc/meminfo")?.first.flatMap { Int($0) }.map { $0 * 1024 }
    }

    /// What a symbolic link says.
    func link(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let outer = root.outer(path)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe readlink(outer, bytes.baseAddress!, bytes.count)
        }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// Variables that the process was started with.
    var environment: [String: String] {
        guard let text = try? contents(root.process("environ")) else { return [:] }
        var result: [String: String] = [:]
        for entry in text.split(separator: "\0") {
            let parts = entry.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
        }
        return result
    }

    /// Whether the files are the kernel's own rather than copies, which must not be written to: the kernel's have content
    /// but no size.
    var isKernels: Bool {
        let path = "/proc/self/mountinfo"
        var information = stat()
        guard unsafe stat(root.outer(path), &information) == 0, information.st_size == 0 else { return false }
        return line(path) != nil
    }
}
