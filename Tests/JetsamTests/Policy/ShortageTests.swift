import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct ShortageTests {
    private func shortage(footprint: Int, used: Int, sharers: Int, isLimited: Bool = true) -> Shortage {
        var reading = MemoryReading()
        reading.limitBytes = 512 * mebibyte
        reading.isLimited = isLimited
        reading.footprintBytes = footprint * mebibyte
        reading.unreclaimableBytes = used * mebibyte
        return Shortage(reading, sharers: sharers)
    }

    @Test(
        "A process has its part in its group's shortage where it has three quarters of the mean",
        arguments: [
            (10, 400, 1, true), (150, 400, 2, true), (149, 400, 2, false), (38, 400, 8, true), (37, 400, 8, false),
            (0, 0, 4, true), (1, 400, 0, true),
        ])
    func group(footprint: Int, used: Int, sharers: Int, isOurs: Bool) {
        let shortage = shortage(footprint: footprint, used: used, sharers: sharers)
        #expect(shortage.isOurs == isOurs)
        #expect(shortage.isOfLimit)
    }

    @Test(
        "Where the machine is short, half of what it uses makes it this process's",
        arguments: [(200, true), (199, false)])
    func machine(footprint: Int, isOurs: Bool) {
        let shortage = shortage(footprint: footprint, used: 400, sharers: 1, isLimited: false)
        #expect(shortage.isOurs == isOurs)
        #expect(!shortage.isOfLimit)
    }
}
