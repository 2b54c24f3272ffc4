import ComparisonSupport
import Glibc
import Jetsam

/// `Reclaim CASE WHO` measures one thing in one way and prints `CASE WHO VALUE UNIT`, a line a figure. One process each, in
/// which the allocator is glibc's or, preloaded, jemalloc; `tools/bench reclaim` runs them in turn.
@main
enum Reclaim {
    struct Row {
        var name: String
        var value: Double
        var unit: String
    }

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { stop("a case and a way are needed, such as: release-rate jetsam-bytes") }
        let rows =
            switch arguments[2] {
            case "jetsam-bytes": await measure(arguments[1], ByteCacheStock.self)
            case "jetsam": await measure(arguments[1], ValueCacheStock.self)
            case "glibc", "jemalloc": await measure(arguments[1], HeapStock.self)
            case "madvise": await measure(arguments[1], MappedStock.self)
            default: stop("there is no way '\(arguments[2])'")
            }
        let allocator = Heap.allocator.name
        guard arguments[2] == "madvise" || arguments[2] == "jetsam-bytes" || allocator == Heap.expected(arguments[2])
        else { stop("\(arguments[2]) is to be measured, but the allocator is \(allocator)") }
        for row in rows { print(row.name, arguments[2], row.value, row.unit) }
        fflush(nil)
        // What is still held is not taken apart one by one.
        _exit(0)
    }

    private static func measure<S: Stock>(_ name: String, _ stock: S.Type) async -> [Row] {
        switch name {
        case "resident-over-live-small": return [residue(name, stock, 16...1024)]
        case "resident-over-live-large": return [residue(name, stock, 1024...65_536)]
        case "release-rate": return [Rates.release(name, stock)]
        case "promised-over-returned": return [Rates.promise(name, stock)]
        case "give-back-900MiB": return [await GivingBack.time(name, stock)]
        case "foreign-stall-p999": return await ForeignStalls.measure(name, stock)
        default: stop("there is no case '\(name)'")
        }
    }

    /// What stays resident of a GiB of values when nine tenths of their bytes are dropped, beside what is live then.
    private static func residue<S: Stock>(_ name: String, _ stock: S.Type, _ sizes: ClosedRange<Int>) -> Row {
        let held = S(bytes: 1 << 30, sizes: sizes)
        let empty = residentBytes()
        held.fill()
        held.drop(share: 0.9)
        Heap.allocator.trim()
        let resident = residentBytes() - empty
        let live = held.liveBytes
        guard live > 10 << 20 else { stop("only \(live) bytes are left") }
        return Row(name: name, value: Double(resident) / Double(live), unit: "x")
    }
}
