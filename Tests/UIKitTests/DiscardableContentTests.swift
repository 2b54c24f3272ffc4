import Foundation
import Testing

@testable import PurgeableCaches
@testable import UIKit

private typealias NSCache = UIKit.NSCache

/// Pixels that can be made again.
private final class Pixels: NSObject, NSDiscardableContent {
    private var uses = 0
    private var isGone = false

    func beginContentAccess() -> Bool {
        guard !isGone else { return false }
        uses += 1
        return true
    }

    func endContentAccess() { uses -= 1 }

    func discardContentIfPossible() {
        if uses == 0 { isGone = true }
    }

    func isContentDiscarded() -> Bool { isGone }
}

extension ApplicationTests {
    @Suite(.serialized) struct DiscardableContents {
        private let cache = NSCache<NSString, Pixels>()
        private let first = Pixels()
        private let second = Pixels()

        init() {
            cache.name = "pixels"
            cache.setObject(first, forKey: "first" as NSString, cost: 1000)
            cache.setObject(second, forKey: "second" as NSString, cost: 1000)
        }

        private func release(_ bytes: Int) throws -> Int {
            let client = try #require(CacheRegistry.shared.clients.first { $0.name == "pixels" })
            guard case .synchronous(_, let release) = client.handlers else { return 0 }
            return try release(ReleaseRequest(bytes: bytes, level: .warning, deadline: .seconds(1)))
        }

        @Test("A content in use is not thrown away; the next one is")
        func inUse() throws {
            #expect(first.beginContentAccess())
            #expect(try release(1) == 1128)
            #expect(cache.object(forKey: "first" as NSString) === first)
            #expect(cache.object(forKey: "second" as NSString) == nil && second.isContentDiscarded())
            first.endContentAccess()
            #expect(try release(1) == 1128)
            #expect(try release(1) == 0)
        }

        @Test("An object whose content is gone leaves when it is asked for, unless it is to stay")
        func discarded() throws {
            first.discardContentIfPossible()
            #expect(cache.object(forKey: "first" as NSString) == nil)
            cache.evictsObjectsWithDiscardedContent = false
            #expect(try release(1) == 1000)
            #expect(cache.object(forKey: "second" as NSString) === second && !second.beginContentAccess())
            #expect(try release(1) == 0)
        }
    }
}
