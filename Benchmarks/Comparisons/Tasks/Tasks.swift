import ComparisonSupport
import Glibc

/// `Tasks CASE WHO` measures one thing in one way and prints `CASE WHO VALUE UNIT`, a line a figure. One process each,
/// so that no figure carries what another has left; `tools/bench tasks` runs them in turn.
@main
enum Tasks {
    private struct Row {
        var name: String
        var value: Double
        var unit: String
    }

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { stop("a case and a way are needed, such as: pair-1000 dispatch-timer") }
        let rows =
            switch arguments[2] {
            case "jetsam": measure(arguments[1], JetsamTask.self)
            case "dispatch-timer": measure(arguments[1], DispatchTimer.self)
            case "task-sleep": measure(arguments[1], TaskSleep.self)
            case "nio-callback": measure(arguments[1], EventLoopCallback.self)
            case "machine" where arguments[1] == "load-12MiB":
                [Row(name: arguments[1], value: DependentLoads.nanoseconds(mebibytes: 12), unit: "ns")]
            default: stop("there is no way '\(arguments[2])'")
            }
        for row in rows { print(row.name, arguments[2], row.value, row.unit) }
        fflush(nil)
        // What is still held is not taken apart one by one.
        _exit(0)
    }

    private static func measure<C: Contender>(_ name: String, _ contender: C.Type) -> [Row] {
        func pairs(live: Int, threads: Int = 1, isShared: Bool = true) -> [Row] {
            let time = Pairs.nanoseconds(contender, live: live / threads, threads: threads, isShared: isShared)
            return [Row(name: name, value: time, unit: "ns")]
        }
        switch name {
        case "pair-1000": return pairs(live: 1000)
        case "pair-100k": return pairs(live: 100_000)
        case "pair-two-threads": return pairs(live: 1000, threads: 2)
        case "pair-two-apart": return pairs(live: 1000, threads: 2, isShared: false)
        case "pair-eight-threads": return pairs(live: 1000, threads: 8)
        case "memory":
            let (bytes, share) = Memory.measure(contender)
            return [Row(name: "bytes-live-1M", value: bytes, unit: "B")]
                + (share.map { [Row(name: "kept-share-after-end", value: $0, unit: "%")] } ?? [])
        case "allocations-pair":
            return [Row(name: name, value: Pairs.allocationsEach(contender), unit: "allocations")]
        case "due-at-once-100k":
            return [Row(name: name, value: Expiries.lastOfMany(contender), unit: "ms")]
        case "sparse":
            let (late, cpu) = Expiries.sparse(contender)
            return [
                Row(name: "late-p99-sparse", value: late, unit: "ms"), Row(name: "cpu-sparse", value: cpu, unit: "µs"),
            ]
        default: stop("there is no case '\(name)'")
        }
    }
}
