internal import CLinuxShims
internal import Dispatch
package import SystemPackage

/// A detached thread of ours whose stack is touched before its body runs, so that it never faults one in when memory is short.
package enum ServiceThread {
    /// Enough for handlers that format or compress; all of it becomes resident.
    package static let stackBytes = 512 << 10

    /// - Parameters:
    ///   - name: At most 15 bytes of it are kept.
    ///   - stackBytes: All of it becomes resident.
    ///   - body: The work of the thread; the thread ends with it.
    package static func start(_ name: String, stackBytes: Int = stackBytes, _ body: @escaping @Sendable () -> Void)
        throws(Errno)
    {
        #if os(Linux)
            let box = unsafe Unmanaged.passRetained(Box(body: body))
            let entry: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
            }
            let result = unsafe jetsam_thread_start(stackBytes, name, entry, box.toOpaque())
            if result != 0 {
                unsafe box.release()
                throw Errno(rawValue: -result)
            }
        #else
            DispatchQueue(label: name).async(execute: body)
        #endif
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
