package import MemoryPressure

extension RunIdentity {
    /// This process's run, from the kernel's files. Opens files and allocates.
    package static func current(
        in root: KernelRoot, processID: Int32, wallClock: Int64, start: MonotonicInstant
    ) -> RunIdentity {
        var run = RunIdentity()
        run.bootID = bootID(in: root)
        run.wallClock = wallClock
        run.start = start
        run.processID = processID
        run.processStart = processStart(in: root, of: nil) ?? 0
        (run.cgroup, run.parentCgroup) = CgroupIdentity.current(in: root)
        return run
    }

    /// The kernel's random number of this boot as bytes; zeros where it cannot be read.
    static func bootID(in root: KernelRoot) -> [UInt8] {
        let none = [UInt8](repeating: 0, count: 16)
        guard let text = try? Syscalls.contents(of: root.outer("/proc/sys/kernel/random/boot_id")) else { return none }
        let digits = text.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 32 else { return none }
        return (0..<16).map { UInt8(digits[$0 * 2] << 4 | digits[$0 * 2 + 1]) }
    }

    /// Returns the time when a process was started, in clock ticks since boot; nil where there is no such process.
    static func processStart(in root: KernelRoot = KernelRoot(), of process: Int32?) -> UInt64? {
        let path = process.map { "/proc/\($0)/stat" } ?? root.process("stat")
        guard let text = try? Syscalls.contents(of: root.outer(path)),
            // The name before it may hold blanks and parentheses.
            let end = text.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
        // Field 22, and the first behind the name is field 3.
        return fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) : nil
    }

    /// The time when the machine was started, in nanoseconds since 1970, as far as its two clocks tell: the monotonic one stands
    /// still while a machine sleeps.
    var bootedAt: Int64 { wallClock &- start.nanoseconds }

    /// Returns whether the machine was started anew between the two; false where that is not known.
    func isOfOtherBoot(than other: RunIdentity) -> Bool {
        func isKnown(_ run: RunIdentity) -> Bool { run.bootID.contains { $0 != 0 } }
        return isKnown(self) && isKnown(other) && bootID != other.bootID
    }
}
