internal import Jetsam
internal import NIOConcurrencyHelpers

/// Caches whose handlers do what handlers should not, to see what that costs the manager.
final class BadHandlers: Sendable {
    private struct Refusal: Error {}

    /// What each of them says that it holds.
    private static let bytes = 8 << 20

    private let registrations: [CacheRegistration]

    init(registry: CacheRegistry = .shared) {
        registrations = [
            registry.register("promises and does not give", release: { $0.bytes }),
            registry.register("throws", release: { _ in throw Refusal() }),
            registry.register("hangs", release: { _ in Self.hang() }),
            registry.registerAsynchronous("never answers", release: { _ in try await Self.wait() }),
        ]
        for registration in registrations { registration.update(bytes: Self.bytes) }
    }

    private static func hang() -> Int {
        let lock = ConditionLock(value: 0)
        lock.lock(whenValue: 1)
        return 0
    }

    private static func wait() async throws -> Int {
        try await Task.sleep(for: .seconds(86_400))
        return 0
    }
}
