import ComparisonSupport
import Jetsam
import Logging

/// The time from the decision to the bytes' return: for caches in a step of a manager's, for the rest of the loop that frees.
enum GivingBack {
    private static let bytes = 900 << 20

    static func time<S: Stock>(_ name: String, _ stock: S.Type) async -> Reclaim.Row {
        let held = S(bytes: bytes + (60 << 20), sizes: 16_384...16_384)
        held.fill()
        let before = residentBytes()
        let start: Int64
        if S.isManaged {
            start = await bySteps()
        } else {
            start = monotonicNanoseconds()
            _ = held.release(bytes: bytes)
        }
        // A handler that missed its deadline, because others wanted the processors too, is still at it.
        while before - residentBytes() < bytes / 100 * 95 {
            guard monotonicNanoseconds() - start < 10_000_000_000 else { stop("the bytes did not come back") }
            pause(nanoseconds: 200_000)
        }
        return Reclaim.Row(name: name, value: Double(monotonicNanoseconds() - start) * 1e-6, unit: "ms")
    }

    /// A call from outside goes the way of any step: plan, limits, release, trim, measurement. Gives when it was made.
    private static func bySteps() async -> Int64 {
        let manager: ResourceManager
        do {
            manager = try ResourceManager(logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
        } catch {
            stop("a manager cannot be made: \(error)")
        }
        let running = Task { try await manager.run() }
        defer { running.cancel() }
        // Until it runs it answers nil.
        var first: ReclaimStep?
        while first == nil { first = await manager.releaseCaches(bytes: 0) }
        let start = monotonicNanoseconds()
        guard await manager.releaseCaches(bytes: bytes) != nil else { stop("the manager does not run") }
        return start
    }
}
