/// Evicts the key that has not been asked for longest.
package struct LeastRecentlyUsed: CachePolicy {
    private let capacity: Int
    private var order: KeyList
    private var isCached: [Bool]

    package init(capacity: Int, keys: Int) {
        self.capacity = capacity
        order = KeyList(keys: keys)
        isCached = Array(repeating: false, count: keys)
    }

    package mutating func access(_ key: Int) -> Bool {
        if isCached[key] {
            order.remove(key)
            order.append(key)
            return true
        }
        if order.count == capacity { isCached[order.removeOldest()] = false }
        order.append(key)
        isCached[key] = true
        return false
    }
}
