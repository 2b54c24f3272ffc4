import Jetsam
import JetsamSystem

/// Measures what a trim of the allocator that serves this process brings: by who has freed the memory, and by what the thread that
/// allocated it does meanwhile.
///
/// `tools/support/measure-allocators` makes a table of it, and tests run it with allocators preloaded.
@main
enum AllocatorProbe {
    enum Case: String, CaseIterable {
        /// The thread that trims has allocated and freed.
        case same
        /// Another thread has allocated and freed, and waits.
        case waits
        /// Another thread has allocated and freed, and goes on to allocate and free.
        case works
        /// Another thread has allocated and freed, and has ended.
        case ended
        /// Another thread has allocated, and waits; the thread that trims has freed, as a reclaim thread does.
        case foreignWaits = "foreign-waits"
        /// Another thread has allocated, and goes on to; the thread that trims has freed.
        case foreignWorks = "foreign-works"
    }

    static func main() throws {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        guard let probed = Case(rawValue: name) else {
            print("usage: allocator-probe \(Case.allCases.map(\.rawValue).joined(separator: "|"))")
            print(
                """
                Prints NAME CAN-TRIM FILLED FREED TRIMMED MICROSECONDS: the allocator, whether it can be trimmed, how many MiB \
                are resident more than before when blocks were allocated, 200 ms after they were freed, and after a trim, and \
                how long the trim took.
                """)
            ThisProcess.exitAtOnce(64)
        }
        let other = try OtherThread()
        let done = ParkingSpot()
        // Not on the main thread, which some allocators treat differently.
        try ServiceThread.start("trims") {
            print(measure(probed, other))
            done.signal()
        }
        done.wait(for: nil)
    }

    private static func measure(_ probed: Case, _ other: OtherThread) -> String {
        let blocks = Blocks()
        let allocator = ResourceManager.Environment().allocator
        let before = residentMebibytes
        if probed == .same { blocks.fill() } else { other.run { blocks.fill() } }
        let filled = residentMebibytes - before
        switch probed {
        case .same, .foreignWaits, .foreignWorks: blocks.free()
        case .waits, .works, .ended: other.run { blocks.free() }
        }
        if probed == .works || probed == .foreignWorks { other.work() }
        if probed == .ended { other.end() }
        ParkingSpot().wait(for: .milliseconds(200))
        let freed = residentMebibytes - before
        let start = ContinuousClock.now
        allocator.trim()
        let microseconds = (ContinuousClock.now - start) / .microseconds(1)
        let trimmed = residentMebibytes - before
        return "\(allocator.name) \(allocator.canTrim) \(filled) \(freed) \(trimmed) \(Int(microseconds))"
    }

    private static var residentMebibytes: Int {
        let status = (try? Syscalls.contents(of: "/proc/self/status")) ?? []
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
        return (kibibytes ?? 0) >> 10
    }
}
