import Foundation
import JetsamSystem
import Testing

@testable import PurgeableCaches
@testable import UIKit

private typealias NSCache = UIKit.NSCache
private typealias NSCacheDelegate = UIKit.NSCacheDelegate

private final class Value: NSObject, Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }
}

/// Hears what leaves, and may do something then.
private final class Hearer: NSObject, NSCacheDelegate {
    var gone: [Int] = []
    var body: (NSCache<AnyObject, AnyObject>) -> Void = { _ in }

    func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject obj: Any) {
        gone.append((obj as? Value)?.number ?? -1)
        body(cache)
    }
}

extension ApplicationTests {
    /// `NSCache` with the registry of the process, which no manager runs on meanwhile.
    @Suite(.serialized) struct Caches {
        private let cache = NSCache<NSString, Value>()
        private let hearer = Hearer()

        init() {
            cache.delegate = hearer
        }

        private func fill(_ numbers: Range<Int>, cost: Int = 1000) {
            for number in numbers { cache.setObject(Value(number), forKey: "\(number)" as NSString, cost: cost) }
        }

        private var numbers: [Int] { (0..<100).filter { cache.object(forKey: "\($0)" as NSString) != nil } }

        private func client(_ name: String) throws -> CacheClient {
            try #require(CacheRegistry.shared.clients.first { $0.name == name })
        }

        private func release(_ bytes: Int, of client: CacheClient) throws -> Int {
            guard case .synchronous(_, let release) = client.handlers else { return 0 }
            return try release(ReleaseRequest(bytes: bytes, level: .critical, deadline: .seconds(1)))
        }

        @Test("Keys are equal where isEqual says so, and objects come out as they went in")
        func keys() {
            let object = Value(1)
            cache.setObject(object, forKey: "one" as NSString)
            #expect(cache.object(forKey: String(["o", "n", "e"]) as NSString) === object)
            cache.setObject(object, forKey: "one" as NSString)
            #expect(hearer.gone.isEmpty, "the same object was put in again")
            let urls = NSCache<NSURL, NSData>()
            urls.setObject(NSData(data: Data([1, 2])), forKey: URL(string: "file:///a")! as NSURL)
            #expect(urls.object(forKey: NSURL(string: "file:///a")!)?.length == 2)
            let any = NSCache<AnyObject, AnyObject>()
            any.setObject(object, forKey: "key" as AnyObject)
            #expect(any.object(forKey: "key" as AnyObject) === object)
            let numbers = NSCache<NSNumber, Value>()
            numbers.setObject(object, forKey: 7)
            #expect(numbers.object(forKey: NSNumber(value: 7)) === object)
        }

        @Test("A Hashable class is compared as such, any other class by identity")
        func swiftKeys() {
            final class Name: Hashable {
                let text: String
                init(_ text: String) { self.text = text }
                static func == (left: Name, right: Name) -> Bool { left.text == right.text }
                func hash(into hasher: inout Hasher) { hasher.combine(text) }
            }
            final class Plain {}
            let named = NSCache<Name, Value>()
            named.setObject(Value(1), forKey: Name("a"))
            #expect(named.object(forKey: Name("a"))?.number == 1 && named.object(forKey: Name("b")) == nil)
            let plain = NSCache<Plain, Value>()
            let key = Plain()
            plain.setObject(Value(1), forKey: key)
            #expect(plain.object(forKey: key) != nil && plain.object(forKey: Plain()) == nil)
        }

        @Test("What was used longest ago leaves first, also where a limit is lowered")
        func limits() {
            cache.countLimit = 3
            fill(0..<3)
            #expect(cache.object(forKey: "0" as NSString) != nil)
            fill(3..<4)
            #expect(hearer.gone == [1])
            #expect(numbers == [0, 2, 3])
            cache.countLimit = 0
            cache.totalCostLimit = 2000
            #expect(hearer.gone == [1, 0])
            fill(4..<5, cost: 1500)
            #expect(numbers == [4])
            cache.totalCostLimit = 0
            fill(5..<100)
            #expect(numbers.count == 96)
        }

        @Test("An object above the limit is not kept, and the others stay")
        func tooLarge() {
            cache.totalCostLimit = 2500
            fill(0..<2)
            fill(2..<3, cost: 2501)
            #expect(numbers == [0, 1])
            #expect(hearer.gone == [2])
            fill(1..<2, cost: 9999)
            #expect(numbers == [0], "what it replaces goes all the same")
        }

        @Test("Costs out of range are held to it", arguments: [Int.min, -1, 0, Int.max])
        func costs(cost: Int) throws {
            fill(0..<10, cost: cost)
            #expect(numbers.count == 10)
            cache.removeAllObjects()
            cache.totalCostLimit = 1
            fill(0..<10, cost: cost)
            #expect(numbers.count == (cost > 0 ? 0 : 10))
        }

        @Test("The delegate is told of what is removed and replaced, and not of what was not there")
        func removal() {
            fill(0..<3)
            cache.removeObject(forKey: "0" as NSString)
            cache.removeObject(forKey: "0" as NSString)
            fill(1..<2)
            cache.removeAllObjects()
            #expect(hearer.gone.prefix(2) == [0, 1] && hearer.gone.dropFirst(2).sorted() == [1, 2])
            #expect(numbers.isEmpty)
        }

        @Test("The delegate may use the cache that tells it, as the same object")
        func reentrant() {
            cache.countLimit = 2
            hearer.body = { [cache] told in
                #expect(told === cache)
                #expect(told.name == "reentrant")
                cache.name = "reentrant"
                if self.hearer.gone.count < 5 { self.fill(50..<51) }
                cache.removeObject(forKey: "50" as NSString)
            }
            cache.name = "reentrant"
            fill(0..<4)
            hearer.body = { _ in }
            #expect(numbers.count <= 2)
        }

        @Test("A key may use the cache while it is compared")
        func reentrantKeys() {
            final class Key: NSObject {
                nonisolated(unsafe) static var body: () -> Void = {}
                override var hash: Int { 1 }
                override func isEqual(_ object: Any?) -> Bool {
                    unsafe Key.body()
                    return false
                }
            }
            let cache = NSCache<Key, Value>()
            unsafe Key.body = { _ = cache.countLimit }
            defer { unsafe Key.body = {} }
            for number in 0..<5 { cache.setObject(Value(number), forKey: Key()) }
            #expect(cache.object(forKey: Key()) == nil)
        }

        @Test("It is registered under its name with the bytes that it has, and gives what it is asked for")
        func release() throws {
            cache.name = "mine"
            fill(0..<10, cost: 10_000)
            let client = try client("mine")
            #expect(client.reportedBytes == 10 * 10_128)
            #expect(try release(25_000, of: client) == 3 * 10_128)
            #expect(hearer.gone == [0, 1, 2])
            #expect(client.reportedBytes == 7 * 10_128)
            #expect(try release(.max, of: client) == 7 * 10_128)
            #expect(numbers.isEmpty && client.reportedBytes == 0)
        }

        @Test("A limit of the manager's frees nothing, and bounds what is put in")
        func managersLimit() throws {
            cache.name = "bounded"
            fill(0..<10, cost: 1000)
            let client = try client("bounded")
            guard case .synchronous(let limit, _) = client.handlers else { return }
            try limit(5 * 1128)
            #expect(numbers.count == 10)
            fill(10..<11, cost: 1000)
            #expect(numbers == [6, 7, 8, 9, 10])
            try limit(nil)
            fill(11..<20)
            #expect(numbers.count == 14)
        }

        @Test("A cache that is renamed or let go of leaves nothing behind")
        func lifetime() throws {
            weak var kept: NSCache<NSString, Value>?
            weak var object: Value?
            do {
                let cache = NSCache<NSString, Value>()
                cache.name = "first"
                cache.name = "second"
                let value = Value(1)
                cache.setObject(value, forKey: "a" as NSString)
                (kept, object) = (cache, value)
                #expect(CacheRegistry.shared.clients.filter { ["first", "second"].contains($0.name) }.count == 1)
            }
            #expect(kept == nil && object == nil)
            #expect(!CacheRegistry.shared.clients.contains { ["first", "second"].contains($0.name) })
        }

        @Test("A subclass overrides what it likes")
        func subclass() {
            final class Counting: NSCache<NSString, Value> {
                var puts = 0
                override func setObject(_ obj: Value, forKey key: NSString, cost g: Int) {
                    puts += 1
                    super.setObject(obj, forKey: key, cost: g)
                }
            }
            let cache = Counting()
            cache.setObject(Value(1), forKey: "a" as NSString)
            cache.setObject(Value(2), forKey: "b" as NSString, cost: 5)
            #expect(cache.puts == 2 && cache.object(forKey: "a" as NSString)?.number == 1)
        }

        @Test("Many threads put in, look up, remove and are asked for memory at the same time")
        func threads() throws {
            cache.name = "busy"
            cache.countLimit = 50
            cache.delegate = nil
            let client = try client("busy")
            // As with Apple's: safe from several threads, and not marked so.
            nonisolated(unsafe) let cache = cache
            @Sendable func release(_ bytes: Int) {
                guard case .synchronous(_, let release) = client.handlers else { return }
                _ = try? release(ReleaseRequest(bytes: bytes, level: .critical, deadline: .seconds(1)))
            }
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for round in 0..<500 {
                    let key = "\((round * 7 + thread) % 80)" as NSString
                    switch round % 5 {
                    case 0, 1: unsafe cache.setObject(Value(round), forKey: key, cost: 100)
                    case 2: unsafe cache.removeObject(forKey: key)
                    case 3 where round % 50 == 3: release(1000)
                    default: _ = unsafe cache.object(forKey: key)
                    }
                }
            }
            #expect(numbers.count <= 50)
            #expect(client.reportedBytes == numbers.count * 228)
            unsafe cache.removeAllObjects()
            #expect(client.reportedBytes == 0)
        }
    }
}
