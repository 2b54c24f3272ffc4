internal import MemoryPressure
internal import SystemPackage

/// The TCP ports that somebody of this network namespace listens on, as the kernel lists them. Opens files and allocates.
enum ListeningPorts {
    /// TCP_LISTEN of the kernel's `include/net/tcp_states.h`, in the fourth column of `/proc/net/tcp`.
    private static let listening = Array("0A".utf8)

    /// Returns a function that reads them anew; it gives nil where they cannot be read.
    static func reader(in root: KernelRoot) -> @Sendable () -> Set<UInt16>? {
        { try? current(in: root) }
    }

    /// - Throws: The error that reading the first list has met. A machine without IPv6 has no second.
    static func current(in root: KernelRoot) throws(Errno) -> Set<UInt16> {
        var ports = parse(try Syscalls.contents(of: root.outer(root.process("net/tcp"))))
        if let more = try? Syscalls.contents(of: root.outer(root.process("net/tcp6"))) { ports.formUnion(parse(more)) }
        return ports
    }

    /// One socket a line: number, local address, remote address, state, and more.
    static func parse(_ text: [UInt8]) -> Set<UInt16> {
        var ports: Set<UInt16> = []
        for line in text.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 4)
            guard fields.count > 3, fields[3].elementsEqual(listening),
                let colon = fields[1].lastIndex(of: UInt8(ascii: ":")),
                let port = UInt16(String(decoding: fields[1][(colon + 1)...], as: UTF8.self), radix: 16)
            else { continue }
            ports.insert(port)
        }
        return ports
    }
}
