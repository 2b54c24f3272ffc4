internal import Dispatch

/// A Dispatch read source on a FIFO, a socket or an eventfd, drained at each firing. It owns the descriptor, which is
/// closed in the cancel handler.
final class StreamSource: Sendable {
    // Dispatch sources may be used from any thread; the overlay does not say so.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// - Parameter handler: Called on `queue`: true when something came, false when the other side has gone, after which
    ///   it is not called again.
    init(_ descriptor: CInt, queue: DispatchQueue, handler: @escaping @Sendable (Bool) -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let own = WeakBox<StreamSource>()
        source.setEventHandler {
            let isOpen = Syscalls.drain(descriptor)
            if !isOpen { own.value?.cancel() }
            handler(isOpen)
        }
        source.setCancelHandler { Syscalls.close(descriptor) }
        unsafe self.source = source
        own.value = self
        source.activate()
    }

    deinit { cancel() }

    func cancel() { unsafe source.cancel() }
}
