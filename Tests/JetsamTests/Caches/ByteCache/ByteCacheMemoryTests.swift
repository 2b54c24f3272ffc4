import AllocationCounter
import CTestProcesses
import Testing

@testable import Jetsam

/// A process that has no more address space.
struct ByteCacheMemoryTests {
    @Test(
        "Where the address space is full values are refused, and nothing that was kept is lost or ends the process",
        .enabled(if: allocation_counter_works(), "a sanitizer maps memory at any time"))
    func fullAddressSpace() async {
        await #expect(processExitsWith: .success) {
            let cache = makeByteCache(segmentBytes: 1 << 20, shards: 2)
            let value = [UInt8](repeating: 7, count: 1000)
            var key: [UInt8] = [0, 0, 0]
            func setKey(_ number: Int) {
                for place in 0..<3 { key[place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
            }
            setKey(0)
            #expect(cache.insert(value, for: key))
            #expect(test_process_limit_address_space(48 << 20) == 0)
            // Nothing from here on may need memory of its own: what is wrong is told once there is some again.
            var kept = 0
            var refused = 0
            var found = 0
            for number in 0..<100_000 {
                setKey(number)
                if cache.insert(value, for: key) { kept += 1 } else { refused += 1 }
            }
            for number in 0..<100_000 {
                setKey(number)
                if cache.withValue(for: key, { $0.byteCount }) == 1000 { found += 1 }
            }
            let count = cache.count
            let given = cache.release(bytes: .max)
            let isKept = cache.insert(value, for: key)
            #expect(test_process_limit_address_space(-1) == 0)
            #expect(kept > 10_000)
            #expect(refused > 10_000)
            #expect(found == kept)
            #expect(count == kept)
            #expect(given > kept * 1000)
            #expect(isKept)
            #expect(cache.statistics.refusals == refused)
            #expect(cache.contradictions.isEmpty)
        }
    }
}
