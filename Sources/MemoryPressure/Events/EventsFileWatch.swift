internal import Dispatch
internal import SystemPackage

/// Wakes at each change of a v2 cgroup's `memory.events`, which can be opened read-only and so works in ordinary
/// containers too. The kernel itself gives at most a hundred notifications a second.
final class EventsFileWatch: Watch {
    let path: String
    private let poll: PollSource

    init(
        path: String, in root: KernelRoot, queue: DispatchQueue, signal: @escaping @Sendable (WatchSignal) -> Void
    ) throws(Errno) {
        self.path = path
        if let fault = root.readingFault(path) { throw fault }
        let descriptor = try Syscalls.open(root.outer(path))
        let event = KernelEvent(source: .memoryEvents, grade: .normal, path: path)
        let own = WeakBox<PollSource>()
        do throws(Errno) {
            // A notification stands until the file is read: once before waiting, and once at each wake-up.
            if Syscalls.start(of: descriptor) == nil { throw .operationNotSupportedByDevice }
            poll = try PollSource(descriptor, queue: queue) { _ in
                if Syscalls.start(of: descriptor) != nil { return signal(.event(event)) }
                own.value?.cancel()
                signal(.died(.operationNotSupportedByDevice))
            }
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
        own.value = poll
    }

    func cancel() { poll.cancel() }
}
