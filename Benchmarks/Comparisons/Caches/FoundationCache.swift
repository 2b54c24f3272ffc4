import Foundation

/// `NSCache`. Its keys and values have to be objects; they are there beforehand, as a server would have one at hand.
struct FoundationCache: Contender {
    private final class Value: Sendable {
        let word: Int

        init(_ word: Int) {
            self.word = word
        }
    }

    // Documented as safe to be used from several threads.
    private nonisolated(unsafe) let cache = NSCache<NSNumber, Value>()
    private let names: [NSNumber]
    private let values: [Value]

    /// Not counted: they were there before.
    static let contentBytes = 0

    init(capacity: Int?, keys: Int) {
        names = (0..<keys).map { NSNumber(value: $0) }
        values = (0..<keys).map { Value($0) }
        unsafe cache.countLimit = capacity ?? 0
    }

    func find(_ key: Int) -> Int? { unsafe cache.object(forKey: names[key])?.word }

    func put(_ key: Int) {
        unsafe cache.setObject(values[key], forKey: names[key])
    }
}
