#if os(Linux)
    public import Foundation

    /// The receiver of what leaves a ``NSCache``.
    public protocol NSCacheDelegate: NSObjectProtocol {
        /// An object leaves the cache: it was evicted, removed or replaced.
        ///
        /// Called under no lock, on the thread that makes the object leave: that of the caller, or one of the resource manager's when
        /// memory is short. The cache may be used from inside. The object is no longer found there.
        ///
        /// - Parameters:
        ///   - cache: The cache.
        ///   - obj: The object.
        func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject obj: Any)
    }

    extension NSCacheDelegate {
        /// Does nothing.
        public func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject obj: Any) {}
    }
#endif
