internal import MemoryPressure

/// The rule that says who may use the control socket: the user of the process, and root.
struct ControlGate: Sendable {
    /// The user of the process.
    var owner: UInt32
    /// The number by which the kernel names users that have no number in the process's user namespace (overflowuid).
    var unmapped: UInt32 = 65534

    /// - Parameter user: By the socket (`SO_PEERCRED`). One without a number of its own could be anybody and is refused, also
    ///   where the process itself runs under that number.
    func admits(_ user: UInt32) -> Bool {
        user != unmapped && (user == owner || user == 0)
    }

    /// The user that this process acts as.
    static var ownUser: UInt32 { ThisProcess.user }

    /// The kernel's number, where it can be read.
    static func unmappedUser(in root: KernelRoot) -> UInt32 {
        guard let bytes = try? Syscalls.contents(of: root.outer("/proc/sys/kernel/overflowuid")) else { return 65534 }
        return UInt32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) ?? 65534
    }
}
