import Foundation
import JetsamSystem
import JetsamTesting
import Synchronization
import TestSupport
import Testing

@testable import MemoryPressure
@testable import UIKit

struct PressureSourceTests {
    @Test("A source made by DispatchSource watches this process, and stops when it is cancelled")
    func real() async throws {
        let calls = Lock<[String]>([])
        let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .global())
        source.setEventHandler { [weak source] in
            let data = source?.data ?? []
            calls.withLock { $0.append("event \(data.rawValue)") }
        }
        source.setRegistrationHandler { calls.withLock { $0.append("registered") } }
        source.setCancelHandler { calls.withLock { $0.append("cancelled") } }
        #expect(source.mask == [.warning, .critical] && !source.isCancelled)
        source.resume()
        try await eventually("it watches") { calls.withLock { $0.contains("registered") } }
        source.suspend()
        source.resume()
        source.cancel()
        try await eventually("it has stopped") { calls.withLock { $0.contains("cancelled") } }
        #expect(source.isCancelled)
    }

    @Test("The handler is called with the event, and for none that is not in the mask")
    func events() async throws {
        let tree = try KernelTree.v2(limit: 512 << 20)
        defer { tree.remove() }
        let clock = ManualClock()
        var surroundings = PressureObserver.Surroundings()
        surroundings.root = tree.root
        surroundings.clock = clock
        surroundings.environment = [:]
        surroundings.listens = false
        surroundings.ticks = false
        let queue = DispatchQueue(label: "test")
        let base = MemoryPressureSource(eventMask: [.critical, .normal], queue: queue, observing: surroundings)
        let source: any DispatchSourceMemoryPressure = PressureSource(base)
        let events = Lock<[DispatchSource.MemoryPressureEvent]>([])
        source.setEventHandler(qos: .utility) { [unowned source] in
            let event = source.data
            events.withLock { $0.append(event) }
        }
        let isRegistered = Lock(false)
        source.setRegistrationHandler { isRegistered.withLock { $0 = true } }
        source.activate()
        try await eventually("it watches") { isRegistered.withLock { $0 } }
        func look(unreclaimable bytes: Int, after duration: Duration = .seconds(1)) {
            tree.setUnreclaimable(bytes: bytes)
            clock.advance(by: duration)
            base.observer.look()
            queue.sync {}
        }
        look(unreclaimable: 420 << 20)
        look(unreclaimable: 490 << 20)
        try await eventually("it is called") { events.withLock { $0 } == [.critical] }
        look(unreclaimable: 100 << 20)
        look(unreclaimable: 100 << 20, after: .seconds(5))
        try await eventually("it is called again") { events.withLock { $0 } == [.critical, .normal] }
        source.cancel()
    }
}
