internal import Dispatch
internal import SystemPackage

/// Wakes when what systemd asked to watch says so. There is one degree of pressure only, which is taken for a warning.
final class SystemdWatch: Watch {
    let path: String
    private let stop: @Sendable () -> Void

    /// A regular file is waited on for EPOLLPRI and never read; a FIFO or a socket is drained.
    init(
        _ request: SystemdRequest, in root: KernelRoot, queue: DispatchQueue,
        signal: @escaping @Sendable (WatchSignal) -> Void
    ) throws(Errno) {
        path = request.path
        let outer = root.outer(request.path)
        let event = KernelEvent(source: .systemdWatch, grade: .warning, path: request.path)
        let kind = try Syscalls.kind(of: outer)
        let descriptor =
            switch kind {
            case .socket: try Syscalls.connect(to: outer)
            // Open to write too, or the last other writer's leaving would end the file for good.
            case .fifo: try Syscalls.open(outer, .readingAndWriting)
            case .other: try Syscalls.open(outer, request.bytes == nil ? .reading : .readingAndWriting)
            }
        do throws(Errno) {
            if let bytes = request.bytes { try Syscalls.write(descriptor, bytes) }
            stop =
                kind == .other
                ? try Self.watch(file: descriptor, queue, event, signal)
                : Self.watch(stream: descriptor, queue, event, signal)
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
    }

    func cancel() { stop() }

    private static func watch(
        file descriptor: CInt, _ queue: DispatchQueue, _ event: KernelEvent,
        _ signal: @escaping @Sendable (WatchSignal) -> Void
    ) throws(Errno) -> @Sendable () -> Void {
        let own = WeakBox<PollSource>()
        let poll = try PollSource(descriptor, queue: queue) { outcome in
            guard outcome.hasError else { return signal(.event(event)) }
            own.value?.cancel()
            signal(.died(.operationNotSupportedByDevice))
        }
        own.value = poll
        return { poll.cancel() }
    }

    private static func watch(
        stream descriptor: CInt, _ queue: DispatchQueue, _ event: KernelEvent,
        _ signal: @escaping @Sendable (WatchSignal) -> Void
    ) -> @Sendable () -> Void {
        let stream = StreamSource(descriptor, queue: queue) { isOpen in
            signal(isOpen ? .event(event) : .died(.brokenPipe))
        }
        return { stream.cancel() }
    }
}
