#if os(Linux)
    internal import Foundation

    /// A key of a ``NSCache``, with its hash. Compared by `isEqual(_:)`, as a Swift value where the class is `Hashable`, else by identity.
    ///
    /// Making one and comparing two run code of the application's: under no lock.
    struct CacheKey: Equatable, @unchecked Sendable {
        let object: AnyObject
        let hash: Int

        init(_ object: AnyObject) {
            self.object = object
            hash =
                if let object = object as? NSObject {
                    object.hash
                } else if let value = object as? AnyHashable {
                    value.hashValue
                } else {
                    ObjectIdentifier(object).hashValue
                }
        }

        static func == (lhs: CacheKey, rhs: CacheKey) -> Bool {
            guard lhs.object !== rhs.object else { return true }
            guard lhs.hash == rhs.hash else { return false }
            if let object = lhs.object as? NSObject { return object.isEqual(rhs.object) }
            if let left = lhs.object as? AnyHashable, let right = rhs.object as? AnyHashable { return left == right }
            return false
        }
    }
#endif
