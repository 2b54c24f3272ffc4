#if os(Linux)
    internal import Foundation
    internal import JetsamSystem

    /// An object in a ``NSCache``, with what is known of its size.
    ///
    /// Sendable as the cache is: whoever shares a cache between threads answers for the objects.
    struct CacheEntry: @unchecked Sendable {
        /// What an entry itself takes, about.
        private static let overheadBytes = 128
        /// What an object is taken for that says nothing of its size.
        private static let assumedBytes = 1024
        /// Costs above it count as this: so many entries as fit into memory cannot overflow their sum.
        private static let mostCost = 1 << 40

        let key: CacheKey
        let object: AnyObject
        let discardable: (any NSDiscardableContent)?
        /// The cost that the application gave, from 0 to 1 TiB.
        let cost: Int
        /// What is reported to the manager.
        var bytes: Int
        /// The neighbours in the order of use.
        var older: UInt64 = 0
        var newer: UInt64 = 0

        init(_ object: AnyObject, for key: CacheKey, cost: Int) {
            self.key = key
            self.object = object
            self.cost = min(max(0, cost), Self.mostCost)
            discardable = object as? any NSDiscardableContent
            let known = Self.contentBytes(of: object)
            let content = self.cost == 0 ? known ?? Self.assumedBytes : max(self.cost, known ?? 0)
            bytes = content.addingSaturating(Self.overheadBytes)
        }

        /// What is left where the content was thrown away.
        static let emptyBytes = overheadBytes

        private static func contentBytes(of object: AnyObject) -> Int? {
            switch object {
            case let data as NSData: data.length
            case let text as NSString: text.length
            default: nil
            }
        }
    }
#endif
