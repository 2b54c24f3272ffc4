import CLinuxShims
import Dispatch
import Jetsam
import MemoryPressure
import SystemPackage

/// A thread that runs only while the conductor lets it.
final class ConductedThread: Sendable {
    /// Signalled to let it go on.
    let go = DispatchSemaphore(value: 0)
    /// Signalled when it waits, sleeps or has ended.
    let back = DispatchSemaphore(value: 0)
}

/// The threads, waiting places and bells of one simulated process.
struct ConductedThreads: ThreadSource {
    let conductor: Conductor

    func start(_ name: String, stackBytes: Int, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        let thread = ConductedThread()
        conductor.add(thread)
        let start = Start { [conductor] in
            thread.go.wait()
            body()
            conductor.ended(thread)
        }
        let box = unsafe Unmanaged.passRetained(start)
        let entry: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
            guard let context = unsafe context else { return }
            unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
        }
        let result = unsafe jetsam_thread_start(stackBytes, name, entry, box.toOpaque())
        precondition(result == 0, "a thread cannot be started: errno \(-result)")
    }

    func makeSpot() -> any WaitingSpot { ConductedSpot(conductor) }

    func makeDoorbell(queue: DispatchQueue, handler: @escaping @Sendable () -> Void) throws(Errno) -> any Ringing {
        ConductedBell(conductor, handler)
    }

    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}

/// A semaphore at which conducted threads wait; anybody may signal it.
final class ConductedSpot: WaitingSpot, @unchecked Sendable {
    private let conductor: Conductor
    private var count = 0
    private var waiting: [ConductedThread] = []

    init(_ conductor: Conductor) {
        self.conductor = conductor
    }

    func signal() {
        guard !waiting.isEmpty else { return count += 1 }
        conductor.makeRunnable(waiting.removeFirst())
    }

    func wait(for timeout: Duration?) -> Bool {
        precondition(timeout == nil, "no conducted thread waits with a time limit")
        if count > 0 {
            count -= 1
            return true
        }
        guard let thread = conductor.current else { preconditionFailure("only a conducted thread can wait") }
        waiting.append(thread)
        conductor.handBack(thread)
        return true
    }
}

/// A doorbell that the conductor answers in the same instant.
final class ConductedBell: Ringing, @unchecked Sendable {
    private let conductor: Conductor
    private let handler: @Sendable () -> Void
    private var isRung = false
    private var isCancelled = false

    init(_ conductor: Conductor, _ handler: @escaping @Sendable () -> Void) {
        self.conductor = conductor
        self.handler = handler
    }

    func ring() {
        guard !isRung, !isCancelled else { return }
        isRung = true
        conductor.ring(self)
    }

    func cancel() {
        isCancelled = true
    }

    func answer() {
        isRung = false
        if !isCancelled { handler() }
    }
}
