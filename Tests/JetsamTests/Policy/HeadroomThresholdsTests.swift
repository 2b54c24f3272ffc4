import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct HeadroomThresholdsTests {
    @Test(
        "Entries are a share of the limit between their minimum and maximum, and small limits use the share alone",
        arguments: [
            // limit MiB, warning entry, warning exit, critical entry, critical exit, in KiB
            (64, 13_107, 16_384, 6_553, 9_830),
            (127, 26_009, 32_512, 13_004, 19_507),
            (128, 49_152, 61_440, 24_576, 36_864),
            (512, 104_857, 131_072, 52_428, 78_643),
            (65_536, 2_097_152, 2_621_440, 1_048_576, 1_572_864),
        ])
    func thresholds(limit: Int, warning: Int, warningExit: Int, critical: Int, criticalExit: Int) {
        let thresholds = HeadroomThresholds(limitBytes: limit * mebibyte, rule: .init())
        let found = [
            thresholds.warningEntry, thresholds.warningExit, thresholds.criticalEntry, thresholds.criticalExit,
        ].map { $0 / 1024 }
        for (found, expected) in zip(found, [warning, warningExit, critical, criticalExit]) {
            #expect(abs(found - expected) <= 1)
        }
    }

    @Test("Regrowth stops above warning's entry, so that it does not raise the level again")
    func regrowthFloor() {
        let thresholds = HeadroomThresholds(limitBytes: 512 * mebibyte, rule: .init())
        #expect(thresholds.regrowthFloor(percent: 20) > thresholds.warningEntry)
        #expect(thresholds.regrowthFloor(percent: 20) < thresholds.warningExit)
    }

    @Test(
        "The defaults of the manager are those of the memory pressure source",
        arguments: [64, 200, 512, 4096, 9000, 20_000, 65_536])
    func defaults(limit: Int) {
        let bytes = limit * mebibyte
        #expect(HeadroomThresholds(limitBytes: bytes, rule: .init()) == HeadroomThresholds(limitBytes: bytes))
    }
}
