/// Something that makes memory short for a while, or that makes it hard to answer that.
struct Disturbance {
    enum Kind: String, CaseIterable, Comparable {
        /// Nothing.
        case calm
        /// Caches want twice as much, and fill four times as fast.
        case cacheGrowth
        /// Memory that no cache holds grows at 8 MB/s.
        case ramp8
        case ramp50
        case ramp500
        /// As fast as a process can fault memory in: 2.9 GB/s.
        case rampFull
        /// Much memory for a moment.
        case spike
        /// Memory comes and goes, faster than caches fill.
        case waves
        /// Memory grows at 300 MB/s and falls at once, again and again.
        case sawtooth
        /// Memory grows slowly and does not come back.
        case leak
        /// The limit is cut in place, and raised again at the end.
        case limitCut
        /// A process in the same cgroup grows.
        case neighbour
        /// Several processes in the same cgroup have caches of their own.
        case servers
        /// Handlers are slow while memory grows.
        case slowCaches
        /// Handlers say that they gave and did not.
        case lyingHandlers
        case throwingHandlers
        /// Handlers do not come back for a while.
        case hangingHandlers
        /// Files that are needed all the time have no room.
        case thrash
        /// Two or three of the others at once.
        case mix

        static func < (first: Kind, second: Kind) -> Bool { first.rawValue < second.rawValue }
    }

    var kind: Kind
    /// When it begins and ends, in nanoseconds.
    var begin: Int64
    var end: Int64
    /// How much memory it takes at most, in bytes.
    var bytes: Int
    /// Bytes a second, where that is drawn.
    var rate = 0
    /// Nanoseconds, where it comes and goes.
    var period: Int64 = 1
    /// Which server it happens to, and which of its caches.
    var server = 0
    var cacheMask: UInt64 = .max

    /// Memory that it takes at that instant, in bytes.
    func takenBytes(at now: Int64) -> Int {
        guard now >= begin, now < end else { return 0 }
        let elapsed = now - begin
        switch kind {
        case .ramp8: return ramp(8_000_000, elapsed)
        case .ramp50, .slowCaches, .lyingHandlers, .throwingHandlers, .hangingHandlers: return ramp(50_000_000, elapsed)
        case .ramp500: return ramp(500_000_000, elapsed)
        case .rampFull: return ramp(2_900_000_000, elapsed)
        case .leak, .neighbour: return ramp(rate, elapsed)
        case .spike: return elapsed < period ? bytes : 0
        case .waves:
            let share = Double(elapsed % period) / Double(period)
            return Int(Double(bytes) * (share < 0.5 ? share : 1 - share) * 2)
        case .sawtooth: return ramp(300_000_000, elapsed % period)
        case .calm, .cacheGrowth, .limitCut, .servers, .thrash, .mix: return 0
        }
    }

    private func ramp(_ rate: Int, _ elapsed: Int64) -> Int {
        Int(min(Double(bytes), Double(rate) * Double(elapsed) * 1e-9))
    }

    /// Whether what it takes is memory of another process.
    var isOutside: Bool { kind == .neighbour }
}
