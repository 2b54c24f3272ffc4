import Jetsam
import MemoryPressure
import TestSupport
import Testing

@testable import jetsam

struct ReportPartsTests {
    @Test(
        "Columns keep of every stretch of time the lowest, the highest, the sums and the worst level", arguments: 1...20
    )
    func columns(seed: Int) {
        // Multiplied up from the seed; the same every time.
        var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15
        func next(_ below: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % below)
        }
        let start = MonotonicInstant(nanoseconds: 77)
        var columns = TimeColumns(start: start)
        var entries: [(offset: Int, value: Int)] = []
        var offset = 0
        for _ in 0..<2000 {
            offset += next(seed % 2 == 0 ? 5_000_000 : 900_000_000_000)
            let value = next(1000)
            entries.append((offset, value))
            let instant = start.advanced(by: .nanoseconds(Int64(offset)))
            columns.set(.usage, value, at: instant)
            columns.add(.promised, value, at: instant)
            columns.set(value > 990 ? .critical : .normal, from: instant, to: instant)
        }
        #expect(columns.count <= TimeColumns.capacity)
        #expect(columns.count > TimeColumns.capacity / 2 || columns.nanosecondsPerColumn == 1_000_000)
        #expect(columns.length == offset)
        for column in 0..<columns.count {
            let width = columns.nanosecondsPerColumn
            let values = entries.filter { $0.offset / width == column }.map(\.value)
            let extent = columns.extent(.usage, column)
            #expect(extent.isEmpty ? values.isEmpty : (extent.low, extent.high) == (values.min(), values.max()))
            #expect(columns.sum(.promised, column) == values.reduce(0, +))
            #expect(columns.level(column) == (values.contains { $0 > 990 } ? .critical : .normal))
        }
    }

    @Test(
        "Of many the first and the last are kept, in their order, and the others counted",
        arguments: [0, 1, 5, 6, 10, 11, 57])
    func kept(count: Int) {
        var kept = Kept<Int>(5)
        for index in 0..<count { kept.append(index) }
        #expect(kept.first == Array(0..<min(5, count)))
        #expect(kept.last == Array(max(5, count - 5)..<max(5, count)))
        #expect(kept.leftOut == max(0, count - 10))
    }

    @Test("Stall is the share of the last two seconds, and begins again where a counter does")
    func stall() {
        var share = StallShare()
        func add(_ milliseconds: Int, _ total: UInt64) -> Int? {
            share.add(total, at: MonotonicInstant(nanoseconds: Int64(milliseconds) * 1_000_000))
        }
        #expect(add(0, 1_000_000) == nil)
        #expect(add(1000, 1_200_000) == 1000)
        #expect(add(2000, 1_400_000) == 2000)
        #expect(add(3000, 1_600_000) == 2000)
        #expect(add(5000, 1_600_000) == 0)
        #expect(add(6000, 9_600_000) == 10_000)
        #expect(add(7000, 5) == nil)
        #expect(add(8000, 200_005) == 1000)
    }

    @Test(
        "Times are said in the two largest units",
        arguments: [
            (0, "0 s"), (1500, "2 µs"), (250_000_000, "250 ms"), (12_340_000_000, "12.3 s"), (60_000_000_000, "1 min"),
            (245_000_000_000, "4 min 5 s"), (7_800_000_000_000, "2 h 10 min"), (273_600_000_000_000, "3 d 4 h"),
            (-5_000_000_000, "-5 s"), (59_960_000_000, "60 s"),
        ])
    func spans(nanoseconds: Int64, text: String) {
        #expect(Duration.nanoseconds(nanoseconds).shortText == text)
    }

    @Test("An axis has two to eight round ticks from zero and room for the highest value")
    func scales() {
        for unit in [PlotScale.Unit.bytes, .share, .count] {
            for highest in [0, 1, 2, 7, 99, 3000, 9999, 123_456_789, 5 << 30, .max]
            where unit != .share || highest < 10_001 {
                let scale = PlotScale(unit, highest: highest)
                #expect(scale.ticks.first == 0 && scale.ticks.last == scale.maximum)
                #expect((2...8).contains(scale.ticks.count))
                #expect(scale.maximum >= min(highest, 1 << 58))
                #expect(scale.place(highest) <= 1 && scale.place(.min) == 0)
            }
        }
        for length in [0, 1, 999, 1_000_000, 7_000_000_000, 86_400_000_000_000, Int.max] {
            let scale = TimeScale(length: length)
            #expect((1...8).contains(scale.ticks.count))
            #expect(scale.ticks.allSatisfy { $0.place >= 0 && $0.place <= 1 })
        }
    }

    @Test("The unit of each setting is told by its name: durations are times, and nothing else is")
    func units() {
        let asked = Set(SettingDifference.values(of: ManagerConfiguration()).map(\.name))
        var seen = 0
        for part in ManagerConfiguration().properties {
            for setting in Mirror(reflecting: part.value).children
            where setting.value is Duration || setting.value is Int {
                let name = "\(part.name).\(setting.label ?? "")"
                guard asked.contains(name) else { continue }
                seen += 1
                #expect((SettingDifference.Unit(of: name) == .time) == (setting.value is Duration), "\(name)")
            }
        }
        // Of a budget, which is off by default, there are four; two settings are flags and one is the whole's.
        #expect(seen >= asked.count - 7)
    }

    @Test("Every setting that a decision depends on is compared with its default")
    func settings() {
        var configuration = ManagerConfiguration()
        #expect(SettingDifference.all(in: configuration) == [])
        configuration.trim.minimumFreedBytes = 5 << 20
        configuration.level.warningFallDelay = .milliseconds(1500)
        configuration.isDryRun = true
        let all = SettingDifference.all(in: configuration)
        #expect(all.map(\.name) == ["level.warningFallDelay", "trim.minimumFreedBytes", "isDryRun"])
        #expect(all.map(\.value) == ["1.5 s", "5 MiB", "yes"])
        #expect(all.map(\.standard) == ["5 s", "32 MiB", "no"])
    }

    @Test("Records that are missing break a line")
    func breaks() {
        var columns = TimeColumns(start: MonotonicInstant(nanoseconds: 0))
        for millisecond in 0..<10 {
            columns.set(.usage, millisecond, at: MonotonicInstant(nanoseconds: Int64(millisecond) * 1_000_000))
        }
        func moves() -> Int {
            PlotPath(columns, .usage) { Double($0) }.commands.count { $0 == "M" }
        }
        #expect(moves() == 1)
        columns.break(at: MonotonicInstant(nanoseconds: 5_000_000))
        #expect(moves() == 2)
    }
}
