/// SIEVE: one queue in order of arrival, through which a hand goes from the oldest to the newest and evicts the first key that was
/// not asked for since it last passed.
///
/// After Zhang, Yang, Yue, Vigfusson and Rashmi, "SIEVE is Simpler than LRU", NSDI 2024.
package struct Sieve: CachePolicy {
    private let capacity: Int
    private var order: KeyList
    private var isCached: [Bool]
    private var wasAsked: [Bool]
    private var hand: Int?

    package init(capacity: Int, keys: Int) {
        self.capacity = capacity
        order = KeyList(keys: keys)
        isCached = Array(repeating: false, count: keys)
        wasAsked = isCached
    }

    package mutating func access(_ key: Int) -> Bool {
        if isCached[key] {
            wasAsked[key] = true
            return true
        }
        if order.count == capacity { evict() }
        order.append(key)
        isCached[key] = true
        wasAsked[key] = false
        return false
    }

    private mutating func evict() {
        var candidate = hand ?? order.oldest!
        while wasAsked[candidate] {
            wasAsked[candidate] = false
            candidate = order.key(after: candidate) ?? order.oldest!
        }
        hand = order.key(after: candidate)
        order.remove(candidate)
        isCached[candidate] = false
    }
}
