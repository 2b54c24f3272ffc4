import UIKit

// Shapes of applications in Swift 6 mode.

@MainActor
func withBackgroundTime<T: Sendable>(_ name: String, _ body: @escaping @Sendable () async throws -> T) async rethrows
    -> T
{
    let identifier = UIApplication.shared.beginBackgroundTask(withName: name, expirationHandler: nil)
    defer { UIApplication.shared.endBackgroundTask(identifier) }
    return try await body()
}

actor SyncEngine {
    private var identifier = UIBackgroundTaskIdentifier.invalid

    func sync() async -> Bool {
        let application = await UIApplication.shared
        identifier = application.beginBackgroundTask(withName: "sync") { [weak self] in
            Task { await self?.stop() }
        }
        defer { stop() }
        let isActive = await MainActor.run { UIApplication.shared.applicationState == .active }
        return isActive && identifier != .invalid
    }

    private func stop() {
        guard identifier != .invalid else { return }
        let ended = identifier
        identifier = .invalid
        Task { @MainActor in UIApplication.shared.endBackgroundTask(ended) }
    }
}

@MainActor
final class LifecycleModel {
    private(set) var isInBackground = false
    private var tasks: [Task<Void, Never>] = []

    init() {
        tasks.append(
            Task { [weak self] in
                for await _ in NotificationCenter.default.notifications(
                    named: UIApplication.didEnterBackgroundNotification)
                {
                    self?.isInBackground = true
                }
            })
        tasks.append(
            Task { @MainActor [weak self] in
                let names = NotificationCenter.default.notifications(
                    named: UIApplication.willEnterForegroundNotification
                )
                .map(\.name)
                for await _ in names { self?.isInBackground = false }
            })
    }

    func stop() {
        tasks.forEach { $0.cancel() }
    }
}

@MainActor
final class LocalTask {
    var expirations = 0

    func run() {
        var identifier = UIBackgroundTaskIdentifier.invalid
        identifier = UIApplication.shared.beginBackgroundTask {
            self.expirations += 1
            UIApplication.shared.endBackgroundTask(identifier)
            identifier = .invalid
        }
    }
}

/// What an application's tests put in its place.
protocol BackgroundTasking: Sendable {
    nonisolated func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier
    nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier)
}

extension UIApplication: BackgroundTasking {}

enum Caches {
    @MainActor static let pages = NSCache<NSNumber, Page>()
    nonisolated(unsafe) static let texts = NSCache<NSString, NSString>()
}

final class Page: NSObject, NSDiscardableContent, @unchecked Sendable {
    private let lock = NSLock()
    private var uses = 0
    private var bytes: [UInt8]? = Array(repeating: 1, count: 4096)

    func beginContentAccess() -> Bool {
        lock.withLock {
            guard bytes != nil else { return false }
            uses += 1
            return true
        }
    }

    func endContentAccess() { lock.withLock { uses -= 1 } }

    func discardContentIfPossible() {
        lock.withLock { if uses == 0 { bytes = nil } }
    }

    func isContentDiscarded() -> Bool { lock.withLock { bytes == nil } }
}

actor PressureWatch {
    private var source: (any DispatchSourceMemoryPressure)?
    private(set) var levels: [UInt] = []

    func start() {
        let source = DispatchSource.makeMemoryPressureSource(eventMask: [.normal, .warning, .critical], queue: nil)
        source.setEventHandler { [weak self, weak source] in
            guard let self, let event = source?.data else { return }
            Task { await self.note(event) }
        }
        source.setCancelHandler {}
        source.activate()
        self.source = source
    }

    func stop() {
        source?.cancel()
        source = nil
    }

    private func note(_ event: DispatchSource.MemoryPressureEvent) {
        switch event {
        case .warning, .critical: levels.append(event.rawValue)
        case .normal: levels.removeAll()
        default: break
        }
    }
}
