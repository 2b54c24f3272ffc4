internal import Dispatch
internal import SystemPackage

/// A Dispatch source on a descriptor that says "something happened" with EPOLLPRI, which Dispatch itself cannot ask for:
/// an epoll instance of our own watches the descriptor, and a Dispatch read source watches that.
///
/// It owns the descriptor; both are closed in the cancel handler, when Dispatch is done with them.
final class PollSource: Sendable {
    /// The events that the inner epoll still had to report when the source fired.
    struct Outcome: Sendable {
        /// For PSI: the trigger is dead. For other kernel files: there is something new.
        var hasError: Bool
    }

    // Dispatch sources may be used from any thread; the overlay does not say so.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// - Parameter handler: Called on `queue` at each firing. Often the inner epoll has nothing left to say by then, since
    ///   looking at a PSI file takes the event away: the firing itself is the event.
    init(
        _ descriptor: CInt, queue: DispatchQueue, handler: @escaping @Sendable (Outcome) -> Void
    ) throws(Errno) {
        let epoll = try Syscalls.epoll(forUrgent: descriptor)
        let source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
        source.setEventHandler {
            handler(Outcome(hasError: Syscalls.epollHasError(epoll)))
        }
        source.setCancelHandler {
            Syscalls.close(epoll)
            Syscalls.close(descriptor)
        }
        unsafe self.source = source
        source.activate()
    }

    deinit { cancel() }

    func cancel() { unsafe source.cancel() }
}

/// Something that wakes us up, until it is cancelled or found dead.
protocol Watch: AnyObject, Sendable {
    /// The file, inside the kernel root.
    var path: String { get }
    /// Stops it for good. Idempotent; descriptors are closed soon after, on the queue.
    func cancel()
}

/// The news that a watch tells its owner, on the queue.
enum WatchSignal: Sendable {
    case event(KernelEvent)
    /// It will never fire again, for this reason; it has cancelled itself.
    case died(Errno)
}

/// The reason why a watch could not be set up.
struct WatchFailure: Error, Equatable {
    var reason: String
    /// Indicates whether trying again later may help.
    var mayPass = false

    init(reason: String) {
        self.reason = reason
    }

    init(arming error: Errno) {
        reason = ErrnoText.arming(error)
        mayPass = [
            .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .operationNotSupportedByDevice,
        ].contains(error)
    }
}
