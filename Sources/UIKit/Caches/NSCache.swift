#if os(Linux)
    public import Foundation

    /// A cache of objects that gives memory back, with the interface of Apple's.
    ///
    /// It registers itself in `CacheRegistry.shared` under its ``name``: a resource manager asks it for what is missing when memory is
    /// short, and it lets the objects go that were used longest ago. It may be used from any number of threads. Foundation's class of
    /// the same name never answers a shortage of memory on Linux.
    ///
    /// Give each object its size in bytes as its cost. An object without a cost counts as the bytes of an `NSData` or `NSString`, or
    /// as 1024.
    ///
    /// Keys are equal where `isEqual(_:)` says so; of classes that are no `NSObject` where `==` does, if they are `Hashable`, and else
    /// where they are the same object. Code of keys, objects and the delegate is called under no lock.
    open class NSCache<KeyType: AnyObject, ObjectType: AnyObject>: NSObject {
        private let store = CacheStore()

        /// An empty cache without limits.
        public override init() {
            super.init()
            store.setCache(self)
            store.register()
        }

        /// The name of the cache in logs, metrics and reports; `NSCache` there where it is empty.
        open var name: String {
            get { store.name }
            set { store.name = newValue }
        }

        /// The receiver of what leaves the cache. It is not kept alive.
        open var delegate: (any NSCacheDelegate)? {
            get { store.delegate }
            set { store.delegate = newValue }
        }

        /// The most cost that the cache holds; 0 for no limit. Lowering it lets objects go at once.
        open var totalCostLimit: Int {
            get { store.costLimit }
            set { store.costLimit = newValue }
        }

        /// The most objects that the cache holds; 0 for no limit. Lowering it lets objects go at once.
        open var countLimit: Int {
            get { store.countLimit }
            set { store.countLimit = newValue }
        }

        /// Indicates whether an object leaves the cache when its content was discarded: see ``NSDiscardableContent``.
        open var evictsObjectsWithDiscardedContent: Bool {
            get { store.evictsDiscarded }
            set { store.evictsDiscarded = newValue }
        }

        /// Returns the object of a key; nil where there is none. Counts as a use of the object.
        open func object(forKey key: KeyType) -> ObjectType? {
            store.object(for: CacheKey(key)).map { unsafe unsafeDowncast($0, to: ObjectType.self) }
        }

        /// Puts an object in without a cost.
        open func setObject(_ obj: ObjectType, forKey key: KeyType) {
            setObject(obj, forKey: key, cost: 0)
        }

        /// Puts an object in, in place of the one that there was.
        ///
        /// Where the cache is full, what was used longest ago leaves. An object above ``totalCostLimit`` is not kept; the others stay.
        ///
        /// - Parameters:
        ///   - obj: The object.
        ///   - key: Its key, which is kept and not copied.
        ///   - g: The size of the object, in bytes. Negative costs count as 0, those above 1 TiB as that.
        open func setObject(_ obj: ObjectType, forKey key: KeyType, cost g: Int) {
            store.set(obj, for: CacheKey(key), cost: g)
        }

        /// Removes the object of a key.
        open func removeObject(forKey key: KeyType) {
            store.removeObject(for: CacheKey(key))
        }

        /// Removes all objects.
        open func removeAllObjects() {
            store.removeAll()
        }
    }
#endif
