// What is taken from each kernel file. Every initialiser scans the bytes once and allocates nothing.

/// `memory.stat`, either version: the parts of a cgroup's memory that cannot be taken back for free.
struct MemoryStat: Equatable {
    /// Bytes.
    var unreclaimable = 0
    /// Pages that were read back after they had been reclaimed, since the cgroup was made.
    var refaults = RefaultCounts()

    /// Nil where the file has none of the keys, so that a broken file is not taken for an empty cgroup.
    ///
    /// Anonymous and shared memory is taken from the LRU lists rather than from `anon` and `shmem`: locked anonymous
    /// pages are in `anon` and in `unevictable` both, and pages freed with `MADV_FREE` are in `anon` though they are free.
    init?(v2 bytes: borrowing Span<UInt8>) {
        var scanner = ByteScanner()
        var anon = 0, shmem = 0, lru = 0, unevictable = 0, sock = 0
        var kernel: Int?, kernelParts = 0, slabReclaimable = 0
        var known = false, hasLists = false
        while let entry = scanner.nextEntry(in: bytes, where: Self.mayStartV2) {
            switch entry.key {
            case Keys.anon: anon = entry.value; known = true
            case Keys.shmem: shmem = entry.value
            case Keys.inactiveAnon: lru &+= entry.value; hasLists = true
            case Keys.activeAnon: lru &+= entry.value
            case Keys.unevictable: unevictable = entry.value
            case Keys.sock: sock = entry.value
            case Keys.kernel: kernel = entry.value
            case Keys.kernelStack, Keys.pagetables, Keys.secPagetables, Keys.percpu, Keys.slabUnreclaimable:
                kernelParts &+= entry.value
            case Keys.slabReclaimable: slabReclaimable = entry.value
            default: refaults.take(entry)
            }
        }
        guard known || hasLists else { return nil }
        // Before Linux 5.18 there is no `kernel`, only its parts.
        let fixed = kernel.map { max(0, $0 &- slabReclaimable) } ?? kernelParts
        unreclaimable = (hasLists ? lru : anon &+ shmem) &+ unevictable &+ fixed &+ sock
    }

    /// As for v2, without the kernel's own memory: v1 keeps that in `memory.kmem.usage_in_bytes`.
    init?(v1 bytes: borrowing Span<UInt8>) {
        var scanner = ByteScanner()
        var known = false
        while let entry = scanner.nextEntry(in: bytes, where: { $0 == UInt8(ascii: "t") }) {
            switch entry.key {
            case Keys.totalInactiveAnon, Keys.totalActiveAnon, Keys.totalUnevictable:
                unreclaimable &+= entry.value
                known = true
            case Keys.totalRefaultAnon: refaults.anonymous = entry.value
            case Keys.totalRefaultFile: refaults.file = entry.value
            default: break
            }
        }
        if !known { return nil }
    }

    /// Returns whether a key that counts may begin with `byte`: most lines of the file do not matter here.
    @inline(__always)
    private static func mayStartV2(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a"), UInt8(ascii: "i"), UInt8(ascii: "k"), UInt8(ascii: "p"), UInt8(ascii: "s"),
            UInt8(ascii: "u"), UInt8(ascii: "w"):
            true
        default: false
        }
    }

    private enum Keys {
        static let totalRefaultAnon = PackedKey("total_workingset_refault_anon")
        static let totalRefaultFile = PackedKey("total_workingset_refault_file")
        static let anon = PackedKey("anon"), shmem = PackedKey("shmem"), sock = PackedKey("sock")
        static let inactiveAnon = PackedKey("inactive_anon"), activeAnon = PackedKey("active_anon")
        static let unevictable = PackedKey("unevictable")
        static let kernel = PackedKey("kernel"), kernelStack = PackedKey("kernel_stack")
        static let pagetables = PackedKey("pagetables"), secPagetables = PackedKey("sec_pagetables")
        static let percpu = PackedKey("percpu")
        static let slabReclaimable = PackedKey("slab_reclaimable")
        static let slabUnreclaimable = PackedKey("slab_unreclaimable")
        static let totalInactiveAnon = PackedKey("total_inactive_anon")
        static let totalActiveAnon = PackedKey("total_active_anon")
        static let totalUnevictable = PackedKey("total_unevictable")
    }
}

extension MemoryEventCounters {
    /// A v2 `memory.events`; nil where it has none of the keys.
    init?(v2 bytes: borrowing Span<UInt8>) {
        self.init()
        var scanner = ByteScanner()
        var known = false
        while let entry = scanner.nextEntry(in: bytes) {
            let value = UInt64(entry.value)
            switch entry.key {
            case Keys.high: high = value
            case Keys.max: max = value
            case Keys.oom: oom = value
            case Keys.oomKill: oomKill = value
            default: continue
            }
            known = true
        }
        if !known { return nil }
    }

    /// The `oom_kill` of a v1 `memory.oom_control`; nil where it has none (before Linux 4.13).
    static func oomKills(v1 bytes: borrowing Span<UInt8>) -> UInt64? {
        var scanner = ByteScanner()
        while let entry = scanner.nextEntry(in: bytes) {
            if entry.key == Keys.oomKill { return UInt64(entry.value) }
        }
        return nil
    }

    private enum Keys {
        static let high = PackedKey("high"), max = PackedKey("max")
        static let oom = PackedKey("oom"), oomKill = PackedKey("oom_kill")
    }
}

/// `/proc/meminfo`, in bytes.
struct MachineMemory: Equatable {
    init() {}

    var total = 0
    var available = 0
    var free = 0
    /// 0 where the file does not say, as on a kernel without swap.
    var freeSwap = 0

    /// Nil where MemTotal, MemAvailable or MemFree is missing.
    init?(_ bytes: borrowing Span<UInt8>) {
        var scanner = ByteScanner()
        var found = 0
        while let entry = scanner.nextEntry(in: bytes, where: { $0 == UInt8(ascii: "M") || $0 == UInt8(ascii: "S") }) {
            switch entry.key {
            case Keys.total: total = entry.value &* 1024
            case Keys.available: available = entry.value &* 1024
            case Keys.free: free = entry.value &* 1024
            case Keys.freeSwap:
                freeSwap = entry.value &* 1024
                // It comes after the others.
                if found < 3 { return nil }
                return
            default: continue
            }
            found += 1
        }
        if found < 3 { return nil }
    }

    private enum Keys {
        static let total = PackedKey("MemTotal"), available = PackedKey("MemAvailable"), free = PackedKey("MemFree")
        static let freeSwap = PackedKey("SwapFree")
    }
}

extension RefaultCounts {
    /// `/proc/vmstat`: pages of the machine that were read back after they had been reclaimed, since boot; nil where it does not count
    /// them.
    init?(machine bytes: borrowing Span<UInt8>) {
        self.init()
        var scanner = ByteScanner()
        while let entry = scanner.nextEntry(in: bytes, where: { $0 == UInt8(ascii: "w") }) { take(entry) }
        if !isKnown { return nil }
    }
}

/// The figures that `/proc/PID/status` adds to `statm`, in bytes.
struct ProcessStatus: Equatable {
    var swapped = 0
    var residentShared = 0

    init(_ bytes: borrowing Span<UInt8>) {
        var scanner = ByteScanner()
        while let entry = scanner.nextEntry(in: bytes, where: { $0 == UInt8(ascii: "V") || $0 == UInt8(ascii: "R") }) {
            switch entry.key {
            case Keys.swap: swapped = entry.value &* 1024
            case Keys.shmem: residentShared = entry.value &* 1024
            default: break
            }
        }
    }

    private enum Keys {
        static let swap = PackedKey("VmSwap"), shmem = PackedKey("RssShmem")
    }
}

/// `/proc/PID/statm`, in pages.
struct ProcessPages: Equatable {
    var resident = 0
    var shared = 0

    init?(_ bytes: borrowing Span<UInt8>) {
        var scanner = ByteScanner()
        guard scanner.number(in: bytes) != nil else { return nil }
        scanner.skipSpaces(in: bytes)
        guard let resident = scanner.number(in: bytes) else { return nil }
        scanner.skipSpaces(in: bytes)
        guard let shared = scanner.number(in: bytes) else { return nil }
        self.resident = resident
        self.shared = shared
    }
}

/// A PSI file's two totals.
struct StallTotals: Equatable {
    /// Microseconds.
    var some: UInt64 = 0
    /// Microseconds; 0 where the file has no `full` line.
    var full: UInt64 = 0

    /// Nil where there is no `some` line with a total.
    init?(_ bytes: borrowing Span<UInt8>) {
        var scanner = ByteScanner()
        var known = false
        while scanner.offset < bytes.count {
            let isSome = scanner.starts(with: "some ", in: bytes)
            let isFull = scanner.starts(with: "full ", in: bytes)
            if isSome || isFull, scanner.skip(past: " total=", in: bytes), let total = scanner.number(in: bytes) {
                if isSome { some = UInt64(total) } else { full = UInt64(total) }
                known = known || isSome
            }
            scanner.skipLine(in: bytes)
        }
        if !known { return nil }
    }
}

/// `cgroup.procs`: a process a line.
enum ProcessList {
    /// Returns the number of processes; nil for none. If a list is longer than the buffer, only the entries that fit are
    /// counted.
    static func count(_ bytes: borrowing Span<UInt8>) -> Int? {
        var lines = 0
        for index in 0..<bytes.count where bytes[index] == 0x0A && index > 0 && bytes[index - 1] != 0x0A { lines += 1 }
        return lines == 0 ? nil : lines
    }
}

/// A file with one number or the word `max`.
enum SingleValue {
    /// `Int.max` for `max`; nil for anything else that is not a number.
    static func parse(_ bytes: borrowing Span<UInt8>) -> Int? {
        var scanner = ByteScanner()
        if scanner.starts(with: "max", in: bytes) { return .max }
        return scanner.number(in: bytes)
    }
}
