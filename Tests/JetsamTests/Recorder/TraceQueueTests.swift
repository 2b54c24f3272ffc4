import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct TraceQueueTests {
    private func header(_ wallClock: Int) -> TraceHeader {
        var header = TraceHeader(Decider.Setup(configuration: .init(), hasLastResort: false, allocatorTells: false))
        header.wallClock = wallClock
        return header
    }

    @Test("A header whose record found no room goes with it, and is not taken for the next one's")
    func lostHeader() {
        let queue = TraceQueue(capacity: 2)
        var place = [UInt8](repeating: 0, count: RecordBytes.most)
        func popFirst() -> TraceKind? { unsafe place.withUnsafeMutableBytes { unsafe queue.popFirst(into: $0)?.kind } }
        queue.append(header(1), at: .seconds(1))
        queue.append(header(2), at: .seconds(2))
        queue.append(header(3), at: .seconds(3))
        #expect(popFirst() == .trace)
        #expect(queue.popFirstHeader()?.wallClock == 1)
        queue.append(header(4), at: .seconds(4))
        #expect(popFirst() == .trace)
        #expect(queue.popFirstHeader()?.wallClock == 2)
        #expect(popFirst() == .trace)
        #expect(queue.popFirstHeader()?.wallClock == 4)
        #expect(popFirst() == nil && queue.popFirstHeader() == nil)
        #expect(queue.collectLostCount() == 1)
    }
}
