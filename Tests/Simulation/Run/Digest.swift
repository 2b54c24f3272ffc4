import Jetsam
import MemoryPressure

/// A hash over all that happens in a world, in its order (FNV-1a, 64 bits).
struct Digest: Equatable, CustomStringConvertible {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number))
        for _ in 0..<8 {
            value = (value ^ (rest & 0xFF)) &* 0x100_0000_01B3
            rest >>= 8
        }
    }

    mutating func add(_ event: WorldEvent, at now: Int64) {
        add(Int(now))
        switch event {
        case .levelChanged(let change): add(1, Int(change.level.rawValue), change.headroomBytes)
        case .asked(let cache, let bytes, let level): add(2, bytes, cache.bytes, Int(level.rawValue))
        case .answered(let cache, let asked, let answer): add(3, asked, answer, cache.bytes)
        case .limited(let cache, let bytes): add(4, bytes ?? -1, cache.bytes)
        case .gave(let cache, let bytes): add(5, bytes, cache.bytes)
        case .step(let step):
            add(6, step.targetBytes, step.promisedBytes, step.returnedBytes, step.victimCount, step.parts.count)
        case .taskBegan(let work): add(7, work.number)
        case .taskExpired(let work): add(8, work.number)
        case .taskEnded(let work): add(9, work.number)
        case .sceneTold(let room): add(13, room.plannedBytes)
        case .lastResort: add(10)
        case .killed: add(11)
        case .left: add(12)
        case .look: break
        }
    }

    private mutating func add(_ numbers: Int...) {
        for number in numbers { add(number) }
    }

    var description: String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
