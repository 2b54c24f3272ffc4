import Dispatch
import MemoryPressure
import Testing

/// As an application for Apple's platforms has it, but for the one line that makes the source.
private final class ImageCache: Sendable {
    private let source: MemoryPressureSource
    private let queue = DispatchQueue(label: "images")

    init(began: DispatchGroup, ended: DispatchGroup) {
        source = MemoryPressureSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: queue)
        source.setEventHandler { [weak self] in
            guard let self else { return }
            let event = source.data
            switch event {
            case .warning: shrink(by: 0.2)
            case .critical: shrink(by: 1)
            default: break
            }
            if source.mask.contains(.normal) || source.isCancelled { shrink(by: 0) }
        }
        source.setEventHandler(qos: .utility, flags: [.enforceQoS]) { [weak self] in self?.shrink(by: 0.5) }
        source.setEventHandler(handler: DispatchWorkItem {})
        source.setRegistrationHandler { began.leave() }
        source.setCancelHandler { ended.leave() }
        began.enter()
        ended.enter()
        source.suspend()
        source.resume()
        source.activate()
    }

    func shrink(by share: Double) {}

    func stop() { source.cancel() }
}

@Test func `code written for Apple's source works with the line changed that makes it`() async {
    let (began, ended) = (DispatchGroup(), DispatchGroup())
    let cache = ImageCache(began: began, ended: ended)
    await withCheckedContinuation { continuation in
        began.notify(queue: .global()) { continuation.resume() }
    }
    cache.stop()
    await withCheckedContinuation { continuation in
        ended.notify(queue: .global()) { continuation.resume() }
    }
}
