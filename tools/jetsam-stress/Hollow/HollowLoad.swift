internal import Jetsam
internal import MemoryPressure
internal import _StressPatterns

/// A heap cache between whose values other blocks lie, one after every four: whatever leaves the cache, hardly a page of it goes back to
/// the kernel.
final class HollowLoad {
    /// With what the heap puts in front of them five of these take less than a page, so that every page holds a part of a block
    /// that stays.
    private static let blockBytes = 700
    private static let valuesABlock = 4
    private static let step = Duration.milliseconds(10)

    private let cache = PurgeableCache<Int, [UInt8]>(name: "values", priority: .low)
    private var blocks: [[UInt8]] = []
    private let clock = SystemMonotonicClock()

    /// Fills the cache with at least so many bytes.
    init(cacheBytes: Int) {
        let count = (cacheBytes + Self.blockBytes - 1) / Self.blockBytes
        blocks.reserveCapacity(count / Self.valuesABlock + 1)
        for number in 0..<count {
            cache.insert(Self.block(number), for: number, cost: Self.blockBytes)
            if number % Self.valuesABlock == Self.valuesABlock - 1 { blocks.append(Self.block(number)) }
        }
    }

    private static func block(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: blockBytes)
    }

    /// Waits, and then takes memory until the last resort is called or there is no more to take.
    func run(quiet: Duration, growthBytes: Int, bytesPerSecond: Int, _ watch: HollowWatch?) throws -> JSONText {
        let start = clock.now
        let cacheBytes = cache.totalCost
        System.sleep(until: start.advanced(by: quiet))
        let growth = try Growth(bytes: growthBytes)
        var next = clock.now
        while watch?.hasCalledLastResort != true,
            growth.grow(bytes: bytesPerSecond / Int(Duration.seconds(1) / Self.step))
        {
            next = next.advanced(by: Self.step)
            System.sleep(until: next)
        }
        watch?.finish()
        return .object(
            [
                ("cacheBytes", .integer(cacheBytes)), ("keptBytes", .integer(cache.totalCost)),
                ("grownBytes", .integer(growth.takenBytes)), ("blocks", .integer(blocks.count)),
            ] + (watch?.figures(since: start) ?? []))
    }
}

/// Memory that is taken and never given back.
@safe private final class Growth {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var takenBytes = 0

    init(bytes: Int) throws {
        do {
            unsafe memory = try System.reserve(bytes: bytes)
        } catch {
            throw StressError("\(bytes) bytes of address space cannot be had: \(error)")
        }
    }

    deinit {
        unsafe System.unmap(memory)
    }

    /// False where there is no more.
    func grow(bytes: Int) -> Bool {
        let end = takenBytes + bytes
        guard unsafe end <= memory.count else { return false }
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[takenBytes..<end]).initializeMemory(
            as: UInt8.self, repeating: 1)
        takenBytes = end
        return true
    }
}
