import MemoryPressure
import Testing

@testable import JetsamPolicy

struct RegrowthTests {
    @Test("A limit that was set below what its cache held on to rises from there")
    func limitBelowSize() {
        let held = ClientFacts(
            id: 1, priority: .normal, traits: [], bytes: 26 * mebibyte, limitBytes: 2 * mebibyte)
        let limits = Regrowth.limits([held], bytes: mebibyte)
        #expect(limits.map(\.limitBytes) == [27 * mebibyte])
    }

    @Test("A cache that had to give everything grows again beside large ones of its band")
    func emptied() {
        let clients = [0, 100, 300].enumerated().map { index, size in
            ClientFacts(
                id: UInt64(index), priority: .normal, traits: [], bytes: size * mebibyte, limitBytes: size * mebibyte)
        }
        let raises = Regrowth.limits(clients, bytes: 40 * mebibyte)
            .map { $0.limitBytes - (clients[Int($0.id)].limitBytes ?? 0) }
        #expect(raises.map { $0 / mebibyte } == [1, 9, 28])
    }

    @Test("Caches without a limit get what they have and a share of the room by size, and the others keep theirs")
    func firstLimits() {
        let clients = [(0, nil), (100, nil), (300, nil), (50, 50)].enumerated().map { index, cache in
            ClientFacts(
                id: UInt64(index), priority: .normal, traits: [], bytes: cache.0 * mebibyte,
                limitBytes: cache.1.map { $0 * mebibyte })
        }
        func limits(_ bytes: Int) -> [Int] {
            Regrowth.plan(.hold(bytes: bytes), for: clients).map { part in
                guard case .set(let limit) = part.limit else { return -1 }
                return limit / mebibyte
            }
        }
        #expect(limits(40 * mebibyte) == [1, 109, 328])
        #expect(limits(0) == [0, 100, 300])
        #expect(limits(-mebibyte) == [0, 100, 300])
        #expect(Regrowth.plan(.hold(bytes: mebibyte), for: []).isEmpty)
    }

    @Test("After tasks waited for memory limits stay for thirty seconds: headroom does not say what they need")
    func afterStall() {
        func rises(at seconds: Double, isStalled: Bool) -> Bool {
            var regrowth = Regrowth(configuration: .init())
            func next(_ level: PressureLevel, at seconds: Double) -> Regrowth.Decision? {
                let reading = reading(headroom: 300 * mebibyte, at: seconds)
                return regrowth.next(
                    reading: reading, thresholds: HeadroomThresholds(limitBytes: reading.limitBytes), level: level,
                    growthRate: nil, isStalled: isStalled)
            }
            _ = next(.warning, at: 0)
            return next(.normal, at: seconds) != nil
        }
        #expect(rises(at: 5, isStalled: false))
        #expect(!rises(at: 5, isStalled: true))
        #expect(!rises(at: 29, isStalled: true))
        #expect(rises(at: 30, isStalled: true))
    }
}
