import CLinuxShims
import Synchronization
import Testing

@testable import JetsamSystem

/// What the threads of one test share. The sums are plain memory: only the lock keeps them right, and Thread Sanitizer sees
/// the lock or reports them.
private final class Contest: Sendable {
    struct Guarded {
        var count = 0
        var perThread: [Int]
        var isInside = false
        var overlaps = 0
    }

    let guarded: Lock<Guarded>
    let rounds: Int
    let nextThread = Atomic<Int>(0)
    let busy = Atomic<Int>(0)
    /// Whether threads that find the lock taken go on instead of waiting.
    let onlyIfAvailable: Bool

    init(threads: Int, rounds: Int, onlyIfAvailable: Bool) {
        guarded = Lock(Guarded(perThread: Array(repeating: 0, count: threads)))
        self.rounds = rounds
        self.onlyIfAvailable = onlyIfAvailable
    }

    func takePart() {
        let thread = nextThread.wrappingAdd(1, ordering: .relaxed).oldValue
        var done = 0
        while done < rounds {
            if onlyIfAvailable {
                guard guarded.withLockIfAvailable({ step(&$0, thread: thread) }) != nil else {
                    busy.wrappingAdd(1, ordering: .relaxed)
                    continue
                }
            } else {
                guarded.withLock { step(&$0, thread: thread) }
            }
            done += 1
        }
    }

    private func step(_ guarded: inout Guarded, thread: Int) {
        if guarded.isInside { guarded.overlaps += 1 }
        guarded.isInside = true
        guarded.count += 1
        guarded.perThread[thread] += 1
        guarded.isInside = false
    }
}

@Suite struct LockTests {
    /// More threads than any machine here has cores, so that they wait in the kernel and are taken off in the middle of a section.
    private static let threads = 12

    private func run(_ contest: Contest) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.threads {
                group.addTask { await onThreadOfItsOwn { contest.takePart() } }
            }
        }
    }

    @Test("Only one thread at a time is inside, and no update is lost", arguments: [false, true])
    func excludes(onlyIfAvailable: Bool) async {
        let contest = Contest(threads: Self.threads, rounds: 20_000, onlyIfAvailable: onlyIfAvailable)
        await run(contest)
        contest.guarded.withLock { guarded in
            #expect(guarded.count == Self.threads * 20_000)
            #expect(guarded.perThread.allSatisfy { $0 == 20_000 })
            #expect(guarded.overlaps == 0)
        }
    }

    @Test("A lock that is held is not available, and is again afterwards")
    func heldIsNotAvailable() {
        let lock = Lock(1)
        lock.withLock { _ in
            #expect(lock.withLockIfAvailable { $0 += 1 } == nil)
        }
        #expect(lock.withLockIfAvailable { $0 += 1 } != nil)
        #expect(lock.withLock { $0 } == 2)
    }

    @Test("An error thrown inside leaves the lock free and the changes made")
    func throwsThrough() {
        struct Refusal: Error {}
        let lock = Lock(0)
        #expect(throws: Refusal.self) {
            try lock.withLock { state throws(Refusal) in
                state = 7
                throw Refusal()
            }
        }
        #expect(lock.withLockIfAvailable { $0 } == 7)
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Real threads, because the concurrency pool has no more of them than there are cores.
private func onThreadOfItsOwn(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let body = ThreadBody {
            work()
            continuation.resume()
        }
        let context = unsafe Unmanaged.passRetained(body).toOpaque()
        let status = unsafe jetsam_thread_start(
            256 << 10, "lock-test",
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
            }, context)
        precondition(status == 0, "no thread could be made: errno \(-status)")
    }
}
