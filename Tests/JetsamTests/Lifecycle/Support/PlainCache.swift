import MemoryPressure

@testable import Jetsam
@testable import PurgeableCaches

/// A cache that gives what it is asked for.
final class PlainCache: Sendable {
    private let content: Lock<Int>
    private let registration = Lock<CacheRegistration?>(nil)

    init(bytes: Int, in registry: CacheRegistry) {
        content = Lock(bytes)
        let own = registry.register(
            "plain", limit: { _ in },
            release: { [content, weak registration] request in
                let (given, left) = content.withLock { bytes in
                    let given = min(bytes, request.bytes)
                    bytes -= given
                    return (given, bytes)
                }
                registration?.withLock { $0 }?.update(bytes: left)
                return given
            })
        own.update(bytes: bytes)
        registration.withLock { $0 = own }
    }

    var bytes: Int { content.withLock { $0 } }
}
