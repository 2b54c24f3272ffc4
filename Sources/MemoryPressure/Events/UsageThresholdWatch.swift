internal import Dispatch
internal import SystemPackage

/// Wakes when a v1 cgroup's usage crosses one of several sizes, in either direction.
final class UsageThresholdWatch: Watch {
    let path: String
    private let stream: StreamSource

    /// - Parameters:
    ///   - directory: The v1 cgroup's directory, inside the root.
    ///   - thresholds: Bytes.
    init(
        directory: String, thresholds: [Int], in root: KernelRoot, queue: DispatchQueue,
        signal: @escaping @Sendable (WatchSignal) -> Void
    ) throws(Errno) {
        path = directory + "/memory.usage_in_bytes"
        let control = directory + "/cgroup.event_control"
        if let fault = root.faults[control]?.writing { throw fault }
        let usage = try Syscalls.open(root.outer(path))
        defer { Syscalls.close(usage) }
        let registry = try Syscalls.open(root.outer(control), .writing)
        defer { Syscalls.close(registry) }
        let counter = try Syscalls.eventCounter()
        do throws(Errno) {
            if let fault = root.faults[control]?.arming { throw fault }
            for threshold in thresholds {
                try Syscalls.write(registry, Array("\(counter) \(usage) \(threshold)".utf8))
            }
        } catch {
            Syscalls.close(counter)
            throw error
        }
        let event = KernelEvent(source: .usageThreshold, grade: .normal, path: path)
        let usagePath = root.outer(path)
        let own = WeakBox<StreamSource>()
        stream = StreamSource(counter, queue: queue) { _ in
            // The kernel also signals when the cgroup is removed, which is the last thing heard from it.
            if Syscalls.exists(usagePath) { return signal(.event(event)) }
            own.value?.cancel()
            signal(.died(.operationNotSupportedByDevice))
        }
        own.value = stream
    }

    func cancel() { stream.cancel() }
}
