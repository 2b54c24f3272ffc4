import ComparisonSupport
import Jetsam
import Logging

/// The time from the decision to the bytes' return: for caches in a step of a manager's, for the rest of the loop that frees.
enum GivingBack {
    private static let bytes = 900 << 20

    static func time<S: Stock>(_ name: String, _ stock: S.Type) async -> Reclaim.Row {
        let held = S(bytes: bytes + (60 << 20), sizes: 16_384...16_384)
        held.fill()
        let before = Process.residentBytes
        let milliseconds: Double
        if S.isManaged {
            milliseconds = await bySteps()
        } else {
            let start = monotonicNanoseconds()
            _ = held.release(bytes: bytes)
            milliseconds = Double(monotonicNanoseconds() - start) * 1e-6
        }
        let returned = before - Process.residentBytes
        guard returned > bytes / 100 * 95 else { stop("only \(returned) of \(bytes) bytes came back") }
        return Reclaim.Row(name: name, value: milliseconds, unit: "ms")
    }

    /// A call from outside goes the way of any step: plan, limits, release, trim, measurement.
    private static func bySteps() async -> Double {
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
        guard let step = await manager.releaseCaches(bytes: bytes) else { stop("the manager does not run") }
        let milliseconds = Double(monotonicNanoseconds() - start) * 1e-6
        guard step.promisedBytes >= bytes else { stop("only \(step.promisedBytes) bytes were promised: \(step)") }
        return milliseconds
    }
}
