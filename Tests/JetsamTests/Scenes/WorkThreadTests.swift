import MemoryPressure
import Testing

@testable import Jetsam

struct WorkThreadTests {
    private func finished(_ thread: WorkThread) async {
        await withCheckedContinuation { continuation in thread.add { continuation.resume() } }
    }

    @Test("Jobs are done one after another, in their order")
    func order() async {
        let thread = WorkThread("work-test")
        let done = Lock<[Int]>([])
        for number in 0..<100 { thread.add { done.withLock { $0.append(number) } } }
        await finished(thread)
        #expect(done.withLock { $0 } == Array(0..<100))
    }

    @Test("A thread that hangs is given up, once for each job, and its other jobs go on")
    func hung() async {
        let thread = WorkThread("work-test")
        let gate = Gate()
        thread.add {
            gate.arrive()
            gate.waitUntilOpen()
        }
        await gate.waitForArrivals(1)
        thread.giveUpBusyThread()
        await finished(thread)
        gate.open()
        await finished(thread)
    }

    @Test("A thread that has nothing to do is not given up")
    func idle() async {
        let thread = WorkThread("work-test")
        thread.giveUpBusyThread()
        await finished(thread)
        let done = Lock(0)
        for _ in 0..<10 { thread.add { done.withLock { $0 += 1 } } }
        await finished(thread)
        #expect(done.withLock { $0 } == 10)
    }
}
