import Dispatch
import JetsamTesting
import Testing

@testable import MemoryPressure

private let mebibyte = 1 << 20

/// A source on made-up files and a clock moved by hand, which looks when it is told to.
private struct Made {
    let tree: KernelTree
    let clock = ManualClock()
    let source: MemoryPressureSource
    let record = SourceRecord()
    let queue = DispatchQueue(label: "test")

    init(_ tree: KernelTree, mask: MemoryPressureEvent = .all) {
        self.tree = tree
        var surroundings = PressureObserver.Surroundings()
        surroundings.root = tree.root
        surroundings.clock = clock
        surroundings.environment = [:]
        surroundings.listens = false
        surroundings.ticks = false
        source = MemoryPressureSource(eventMask: mask, queue: queue, observing: surroundings)
        source.report(to: record)
    }

    /// Sets what is unreclaimable, moves the clock, and looks.
    @discardableResult
    func look(unreclaimable bytes: Int, after duration: Duration = .seconds(1)) -> Duration {
        tree.setUnreclaimable(bytes: bytes)
        clock.advance(by: duration)
        return source.observer.look()
    }
}

@Suite struct MemoryPressureSourceTests {
    @Test("Its handlers are called as Dispatch calls them: registration, events with their data, cancellation")
    func lifetime() async throws {
        let made = Made(try .v2(limit: 512 * mebibyte))
        #expect(made.source.sources.isEmpty)
        made.look(unreclaimable: 500 * mebibyte)
        made.source.activate()
        #expect(await made.record.next() == .registered)
        made.look(unreclaimable: 420 * mebibyte)
        #expect(await made.record.next() == .event(.warning))
        made.look(unreclaimable: 480 * mebibyte)
        #expect(await made.record.next() == .event(.critical))
        made.look(unreclaimable: 100 * mebibyte)
        made.look(unreclaimable: 100 * mebibyte, after: .seconds(2))
        made.look(unreclaimable: 100 * mebibyte, after: .seconds(5))
        #expect(await made.record.next() == .event(.normal))
        #expect(!made.source.isCancelled)
        made.source.cancel()
        #expect(await made.record.next() == .cancelled)
        #expect(made.source.isCancelled)
        made.look(unreclaimable: 500 * mebibyte)
        made.queue.sync {}
        #expect(made.record.entries.count == 5)
    }

    @Test(
        "Events that were not asked for call nobody",
        arguments: [
            (.critical, [.critical]), ([.warning, .normal], [.warning, .normal]),
        ] as [(MemoryPressureEvent, [MemoryPressureEvent])]
    )
    func mask(mask: MemoryPressureEvent, expected: [MemoryPressureEvent]) async throws {
        let made = Made(try .v2(limit: 512 * mebibyte), mask: mask)
        #expect(made.source.mask == mask)
        made.source.activate()
        #expect(await made.record.next() == .registered)
        made.look(unreclaimable: 420 * mebibyte)
        made.queue.sync {}
        made.look(unreclaimable: 480 * mebibyte)
        made.queue.sync {}
        for seconds in [1, 2, 5] { made.look(unreclaimable: 100 * mebibyte, after: .seconds(seconds)) }
        for event in expected { #expect(await made.record.next() == .event(event)) }
        made.queue.sync {}
        #expect(made.record.entries.count == 1 + expected.count)
    }

    @Test("Events that come while it is suspended are one, and its data is the newest")
    func coalescing() async throws {
        let made = Made(try .v2(limit: 512 * mebibyte))
        made.source.activate()
        #expect(await made.record.next() == .registered)
        // What Dispatch is in the middle of is not held back.
        made.queue.sync {}
        made.source.suspend()
        made.look(unreclaimable: 420 * mebibyte)
        made.look(unreclaimable: 480 * mebibyte)
        made.queue.sync {}
        #expect(made.record.entries == [.registered])
        made.source.resume()
        #expect(await made.record.next() == .event(.critical))
        #expect(made.record.entries.count == 2)
    }

    @Test("A source that was never activated, or is suspended, can be let go of", arguments: [0, 1, 2])
    func lettingGo(suspensions: Int) throws {
        let isActive = suspensions != 2
        let tree = try KernelTree.v2(limit: 512 * mebibyte)
        weak var source: MemoryPressureSource?
        do {
            let made = Made(tree)
            source = made.source
            if isActive { made.source.activate() }
            for _ in 0..<suspensions { made.source.suspend() }
        }
        #expect(source == nil)
    }

    @Test("Resuming a source that was not activated activates it")
    func resuming() async throws {
        let made = Made(try .v2(limit: 512 * mebibyte))
        made.source.resume()
        #expect(await made.record.next() == .registered)
        made.look(unreclaimable: 420 * mebibyte)
        #expect(await made.record.next() == .event(.warning))
    }

    @Test("It looks every second, and ten times as often where less than half is left")
    func pace() throws {
        let made = Made(try .v2(limit: 512 * mebibyte))
        made.source.activate()
        #expect(made.look(unreclaimable: 200 * mebibyte) == .seconds(1))
        #expect(made.look(unreclaimable: 300 * mebibyte) == .milliseconds(100))
        #expect(made.look(unreclaimable: 200 * mebibyte) == .seconds(1))
    }

    @Test("Files that cannot be read are said, and found once they can be")
    func nothing() async throws {
        let tree = try KernelTree(.bare)
        for path in ["/proc/meminfo", "/proc/self/statm", "/proc/self/status", "/proc/pressure/memory"] {
            tree.damage(path, .empty)
        }
        let made = Made(tree)
        made.source.activate()
        #expect(await made.record.next() == .registered)
        #expect(!made.source.sources.isEmpty)
        #expect(made.source.sources.allSatisfy { !$0.isUsed })
        #expect(made.source.sources.contains { $0.description.contains("the file is empty") })
        #expect(made.source.observer.look() == .seconds(1))
    }

    @Test("A limit that is made smaller while it runs is seen within a second")
    func resizing() async throws {
        let made = Made(try .v2(limit: 512 * mebibyte))
        made.source.activate()
        #expect(await made.record.next() == .registered)
        made.look(unreclaimable: 200 * mebibyte)
        made.tree.setLimit(bytes: 220 * mebibyte)
        made.look(unreclaimable: 200 * mebibyte)
        #expect(await made.record.next() == .event(.critical))
    }

    @Test("Writing a log into a small group raises nothing")
    func pageCache() async throws {
        let made = Made(try .v2(limit: 64 * mebibyte))
        made.source.activate()
        #expect(await made.record.next() == .registered)
        for step in 1...375 {
            made.tree.addEvents(max: 1)
            made.tree.setPageCache(bytes: min(step, 60) * mebibyte)
            made.tree.setStall(some: .microseconds(64 * step))
            made.look(unreclaimable: 3 * mebibyte, after: .milliseconds(11))
        }
        made.queue.sync {}
        #expect(made.record.entries == [.registered])
    }
}
