internal import Dispatch
internal import SystemPackage

/// One PSI trigger, armed.
final class TriggerWatch: Watch {
    let path: String
    private let poll: PollSource

    /// Arms `trigger` on the PSI file at `path`; with a window that everybody may have where this one is refused.
    init(
        _ trigger: PressureTrigger, path: String, in root: KernelRoot, queue: DispatchQueue,
        signal: @escaping @Sendable (WatchSignal) -> Void
    ) throws(Errno) {
        self.path = path
        let (descriptor, armed) = try Self.arm(trigger, path, in: root)
        // Looked at once now, to fold in the stall up to this moment, and then at events only: reading starves the trigger.
        let start = Self.total(of: trigger.kind, descriptor)
        let filter = Lock(StallFilter(threshold: armed.stall, total: start ?? 0))
        let event = KernelEvent(source: .pressureTrigger, grade: trigger.grade, path: path)
        let own = WeakBox<PollSource>()
        do throws(Errno) {
            poll = try PollSource(descriptor, queue: queue) { outcome in
                if outcome.hasError {
                    // Left alone, a dead trigger would fire for ever.
                    own.value?.cancel()
                    return signal(.died(.operationNotSupportedByDevice))
                }
                guard let total = Self.total(of: trigger.kind, descriptor) else { return signal(.event(event)) }
                if filter.withLock({ $0.accepts(total: total) }) { signal(.event(event)) }
            }
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
        own.value = poll
    }

    func cancel() { poll.cancel() }

    private static func arm(
        _ trigger: PressureTrigger, _ path: String, in root: KernelRoot
    ) throws(Errno) -> (CInt, PressureTrigger) {
        let fault = root.faults[path]
        if let error = fault?.writing { throw error }
        let descriptor = try Syscalls.open(root.outer(path), .readingAndWriting)
        do throws(Errno) {
            if let error = fault?.arming { throw error }
            do throws(Errno) {
                try Syscalls.write(descriptor, trigger.bytes)
                return (descriptor, trigger)
            } catch .invalidArgument {
                guard let wider = trigger.unprivileged else { throw .invalidArgument }
                try Syscalls.write(descriptor, wider.bytes)
                return (descriptor, wider)
            }
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
    }

    private static func total(of kind: PressureTrigger.Kind, _ descriptor: CInt) -> UInt64? {
        guard let bytes = Syscalls.start(of: descriptor), let totals = StallTotals(bytes.span) else { return nil }
        return kind == .some ? totals.some : totals.full
    }
}

/// A weak reference that can be filled in later.
final class WeakBox<Value: AnyObject & Sendable>: Sendable {
    private struct Content: Sendable { weak var value: Value? }
    private let content = Lock(Content())

    var value: Value? {
        get { content.withLock { $0.value } }
        set { content.withLock { $0.value = newValue } }
    }
}
