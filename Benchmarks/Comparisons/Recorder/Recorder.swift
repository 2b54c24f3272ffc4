import ComparisonSupport
import Glibc

/// `Recorder CASE WHO` measures one thing in one way and prints `CASE WHO VALUE UNIT`; `tools/bench recorder` runs them in turn.
@main
enum Recorder {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { stop("a case and a way are needed, such as: record-224 jetsam") }
        let value =
            switch arguments[2] {
            case "jetsam": measure(arguments[1], RingRecorder())
            case "copy": measure(arguments[1], BareCopy())
            default: stop("there is no way '\(arguments[2])'")
            }
        print(arguments[1], arguments[2], value, "ns")
    }

    private static func measure(_ name: String, _ contender: some Contender) -> Double {
        defer { contender.end() }
        switch name {
        case "record-40": return nanoseconds(contender, bytes: 40)
        case "record-224": return nanoseconds(contender, bytes: 224)
        case "record-two-threads": return nanoseconds(contender, bytes: 224, threads: 2)
        case "record-eight-threads": return nanoseconds(contender, bytes: 224, threads: 8)
        default: stop("there is no case '\(name)'")
        }
    }

    /// How long one measurement takes, and how many records are made between two looks at the clock.
    private static let budget: Int64 = 500_000_000
    private static let batch = 1000

    /// Nanoseconds of wall time a record over all threads.
    private static func nanoseconds<C: Contender>(_ contender: C, bytes: Int, threads: Int = 1) -> Double {
        let payload = [UInt8](repeating: 0x5A, count: bytes)
        // Once round, so that no page is met for the first time.
        unsafe payload.withUnsafeBytes { payload in
            for number in 0..<RingRecorder.slots { unsafe contender.record(Int64(number), payload) }
        }
        let done = Counter()
        let elapsed = onThreads(threads) { _ in
            var count = 0
            let end = monotonicNanoseconds() + budget
            unsafe payload.withUnsafeBytes { payload in
                repeat {
                    for number in 0..<batch { unsafe contender.record(Int64(number), payload) }
                    count += batch
                } while monotonicNanoseconds() < end
            }
            done.increment(by: count)
        }
        return Double(elapsed) / Double(done.value)
    }
}

/// Somewhere to put records.
protocol Contender: Sendable {
    @unsafe func record(_ time: Int64, _ payload: UnsafeRawBufferPointer)
    /// Leaves nothing behind.
    func end()
}
