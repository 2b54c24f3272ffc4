/// The control group that all servers of a world share, and what the kernel does in it: charges, page cache, stall and the kill.
final class SimulatedCgroup: @unchecked Sendable {
    /// The hard limit in bytes.
    var limitBytes: Int
    /// The `memory.high` in bytes; nil where none is set. Who passes it is made to wait, and that is not simulated.
    var highBytes: Int?
    /// Memory of the servers in bytes; the world keeps it up to date.
    var serverBytes = 0
    /// Memory of other servers in bytes.
    var neighbourBytes = 0
    /// Memory of a process that only grows, in bytes.
    var growingNeighbourBytes = 0
    /// How many servers of the world are in it, and how many others.
    var serverCount = 0
    var neighbourCount = 0
    /// Bytes of files that are read and written all the time: with less room for them, somebody waits.
    var hotFileBytes = 0
    /// Bytes of files that are read or written once.
    var coldFileBytes: Int

    /// How often memory met the hard limit, and how often `memory.high`.
    private(set) var limitTouches = 0
    private(set) var highTouches = 0
    private(set) var kills = 0
    private(set) var refaultedPages = 0
    private var stalledNanoseconds = 0.0

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
        coldFileBytes = limitBytes / 20
    }

    var processCount: Int { serverCount + neighbourCount + (growingNeighbourBytes > 0 ? 1 : 0) }
    var unreclaimableBytes: Int { serverBytes + neighbourBytes + growingNeighbourBytes }
    var headroomBytes: Int { limitBytes - unreclaimableBytes }
    /// What the kernel leaves to page cache: it takes it back above `memory.high` already.
    private var roomForFiles: Int { min(limitBytes, highBytes ?? limitBytes) - unreclaimableBytes }
    var pageCacheBytes: Int { max(0, min(hotFileBytes + coldFileBytes, roomForFiles)) }
    var usageBytes: Int { unreclaimableBytes + pageCacheBytes }
    var stalledMicroseconds: Int { Int(stalledNanoseconds / 1000) }
    var isOverLimit: Bool { unreclaimableBytes > limitBytes }

    /// Whether files that are needed all the time have less room than they need.
    var isThrashing: Bool { hotFileBytes > 0 && roomForFiles < hotFileBytes }

    /// Time passes with what is there.
    func move(by nanoseconds: Int64) {
        guard hotFileBytes + coldFileBytes > roomForFiles else { return }
        // Page cache fills what is left, so that the limit is touched at each file that comes new.
        let touches = 1 + Int(nanoseconds / 50_000_000)
        if roomForFiles < headroomBytes { highTouches += touches } else { limitTouches += touches }
        guard isThrashing else { return }
        let missing = Double(hotFileBytes - max(0, roomForFiles)) / Double(hotFileBytes)
        stalledNanoseconds += Double(nanoseconds) * min(0.9, missing)
        refaultedPages += 1 + Int(missing * Double(nanoseconds) / 1_000_000)
    }

    func noteKill() {
        kills += 1
    }
}
