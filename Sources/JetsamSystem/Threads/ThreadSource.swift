package import Dispatch
package import SystemPackage

/// The source of threads, of the places where they wait, and of the doorbell for the notification queue.
///
/// Production has the system's threads. A simulation has its own: of these one runs at a time, in an order that follows from a
/// seed.
package protocol ThreadSource: Sendable {
    /// Starts a thread that ends with `body`; see ``ServiceThread/start(_:stackBytes:_:)``.
    func start(_ name: String, stackBytes: Int, _ body: @escaping @Sendable () -> Void) throws(Errno)
    /// Makes a place where such threads wait.
    func makeSpot() -> any WaitingSpot
    /// Makes what calls `handler` on `queue` after it was rung.
    func makeDoorbell(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) throws(Errno) -> any Ringing
}

/// A counting semaphore whose signal neither allocates nor blocks.
package protocol WaitingSpot: Sendable {
    func signal()
    /// Waits for a signal; false when the time passed without one. Nil waits for ever.
    @discardableResult
    func wait(for timeout: Duration?) -> Bool
}

/// A doorbell that can be rung without allocating or waiting.
package protocol Ringing: Sendable {
    func ring()
    /// The handler does not run again; ringing has no effect from here on, and must have ended.
    func cancel()
}

extension ThreadSource {
    package func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        try start(name, stackBytes: ServiceThread.stackBytes, body)
    }
}

/// The system's threads.
package struct SystemThreads: ThreadSource {
    package init() {}

    package func start(_ name: String, stackBytes: Int, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        try ServiceThread.start(name, stackBytes: stackBytes, body)
    }

    package func makeSpot() -> any WaitingSpot { ParkingSpot() }

    package func makeDoorbell(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) throws(Errno)
        -> any Ringing
    {
        try Doorbell(queue: queue, handler: handler)
    }
}

extension ParkingSpot: WaitingSpot {}

extension Doorbell: Ringing {}
