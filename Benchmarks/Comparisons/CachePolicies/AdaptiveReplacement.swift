/// ARC: two LRU lists, for what was asked for once and more than once, whose shares of the capacity follow the hits among the keys
/// that were evicted from either.
///
/// After Megiddo and Modha, "ARC: A Self-Tuning, Low Overhead Replacement Cache", FAST 2003.
package struct AdaptiveReplacement: CachePolicy {
    private enum Place: UInt8 {
        case nowhere, recent, frequent, recentGhost, frequentGhost
    }

    private let capacity: Int
    /// How many of the capacity are meant for keys that were asked for once.
    private var target = 0
    private var place: [Place]
    private var recent: KeyList
    private var frequent: KeyList
    private var recentGhost: KeyList
    private var frequentGhost: KeyList

    package init(capacity: Int, keys: Int) {
        self.capacity = capacity
        place = Array(repeating: .nowhere, count: keys)
        recent = KeyList(keys: keys)
        frequent = recent
        recentGhost = recent
        frequentGhost = recent
    }

    package mutating func access(_ key: Int) -> Bool {
        switch place[key] {
        case .recent:
            recent.remove(key)
        case .frequent:
            frequent.remove(key)
        case .recentGhost:
            target = min(capacity, target + max(1, frequentGhost.count / recentGhost.count))
            replace(forFrequentGhost: false)
            recentGhost.remove(key)
            enterFrequent(key)
            return false
        case .frequentGhost:
            target = max(0, target - max(1, recentGhost.count / frequentGhost.count))
            replace(forFrequentGhost: true)
            frequentGhost.remove(key)
            enterFrequent(key)
            return false
        case .nowhere:
            makeRoom()
            recent.append(key)
            place[key] = .recent
            return false
        }
        enterFrequent(key)
        return true
    }

    private mutating func enterFrequent(_ key: Int) {
        frequent.append(key)
        place[key] = .frequent
    }

    /// For a key that is in none of the four lists.
    private mutating func makeRoom() {
        let once = recent.count + recentGhost.count
        if once == capacity {
            if recent.count < capacity {
                place[recentGhost.removeOldest()] = .nowhere
                replace(forFrequentGhost: false)
            } else {
                place[recent.removeOldest()] = .nowhere
            }
            return
        }
        let all = once + frequent.count + frequentGhost.count
        guard all >= capacity else { return }
        if all == 2 * capacity { place[frequentGhost.removeOldest()] = .nowhere }
        replace(forFrequentGhost: false)
    }

    /// Evicts from the list that has more than its share, and remembers the key.
    private mutating func replace(forFrequentGhost: Bool) {
        // While the cache has room there is nothing to replace.
        guard recent.count + frequent.count >= capacity else { return }
        if recent.count > 0
            && (recent.count > target || (forFrequentGhost && recent.count == target) || frequent.count == 0)
        {
            let key = recent.removeOldest()
            recentGhost.append(key)
            place[key] = .recentGhost
        } else {
            let key = frequent.removeOldest()
            frequentGhost.append(key)
            place[key] = .frequentGhost
        }
    }
}
