import CTestProcesses
import MemoryPressure
import Testing

@testable import Jetsam

struct ServiceThreadTests {
    @Test(
        "A thread has the stack that was asked for, however much thread-local storage the program has",
        arguments: [64 << 10, 128 << 10, ServiceThread.stackBytes])
    func stack(bytes: Int) async throws {
        let gate = Gate()
        let written = Lock(0)
        try ServiceThread.start("test", stackBytes: bytes) {
            let local = test_thread_write_local_storage()
            // Of the promised stack this closure has used little.
            test_thread_write_stack(bytes - (8 << 10))
            written.withLock { $0 = local }
            gate.arrive()
        }
        await gate.waitForArrivals(1)
        #expect(written.withLock { $0 } == 300_000)
    }
}
