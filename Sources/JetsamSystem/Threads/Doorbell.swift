package import Dispatch
package import SystemPackage

/// Runs a handler on a queue after it was rung. Ringing is one system call: it neither allocates nor takes a lock, so the
/// sampler may do it.
@safe package final class Doorbell: Sendable {
    #if os(Linux)
        private let descriptor: Int32
        // Dispatch sources may be used from any thread, but say so only on other platforms.
        nonisolated(unsafe) private let source: any DispatchSourceRead

        package init(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) throws(Errno) {
            let descriptor = try Syscalls.eventCounter()
            self.descriptor = descriptor
            unsafe source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            unsafe source.setEventHandler {
                Syscalls.clear(eventCounter: descriptor)
                handler()
            }
            unsafe source.setCancelHandler { try? FileDescriptor(rawValue: descriptor).close() }
            unsafe source.activate()
        }

        package func ring() {
            Syscalls.signal(eventCounter: descriptor)
        }

        /// The handler does not run again; ringing has no effect from here on, and must have ended.
        package func cancel() {
            unsafe source.cancel()
        }
    #else
        nonisolated(unsafe) private let source: any DispatchSourceUserDataAdd

        package init(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) throws(Errno) {
            unsafe source = DispatchSource.makeUserDataAddSource(queue: queue)
            unsafe source.setEventHandler(handler: handler)
            unsafe source.activate()
        }

        package func ring() {
            unsafe source.add(data: 1)
        }

        package func cancel() {
            unsafe source.cancel()
        }
    #endif
}
