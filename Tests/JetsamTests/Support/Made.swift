import MemoryPressure

@testable import Jetsam
@testable import JetsamPolicy

let mebibyte = 1 << 20

extension MonotonicInstant {
    static func seconds(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
    }
}

/// A reading of a container of 512 MiB, without page cache, of which this process uses all that is used.
func reading(
    headroom: Int, limit: Int = 512 * mebibyte, at seconds: Double = 0, footprint: Int? = nil,
    stall: UInt64? = nil, events: MemoryEventCounters? = nil, cache: Int = 0, refaults: UInt64? = nil
) -> MemoryReading {
    var reading = MemoryReading()
    reading.instant = .seconds(seconds)
    reading.limitBytes = limit
    reading.isLimited = true
    reading.tightestLevel = 0
    reading.headroomBytes = headroom
    reading.unreclaimableBytes = limit - headroom
    reading.usageBytes = limit - headroom + cache
    reading.footprintBytes = footprint ?? limit - headroom
    reading.stallSomeMicroseconds = stall
    reading.events = events
    reading.refaultedPages = refaults
    return reading
}

func context(_ reading: MemoryReading, managed: Int = 0, trigger: PressureLevel = .normal) -> RuleContext {
    RuleContext(
        reading: reading,
        thresholds: HeadroomThresholds(limitBytes: reading.limitBytes, rule: .init()), managedBytes: managed,
        cause: .sampler, triggerGrade: trigger)
}

func counters(high: UInt64 = 0, max: UInt64 = 0, oom: UInt64 = 0, oomKill: UInt64 = 0) -> MemoryEventCounters {
    var counters = MemoryEventCounters()
    counters.high = high
    counters.max = max
    counters.oom = oom
    counters.oomKill = oomKill
    return counters
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): small, and the same everywhere for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
