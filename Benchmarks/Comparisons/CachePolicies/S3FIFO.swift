/// S3-FIFO: a small queue for what is new, a main queue for what was asked for again, and a queue of keys without values that
/// left the small one.
///
/// After Yang, Zhang, Qiu, Yue and Rashmi, "FIFO Queues are All You Need for Cache Eviction", SOSP 2023, with the figures given
/// there: a tenth of the capacity is small, as many keys without values as the main queue can hold, a count from 0 to 3, and
/// from the small queue into the main one what was asked for more than once since it came.
package struct S3FIFO: CachePolicy {
    private enum Place: UInt8 {
        case nowhere, small, main, ghost
    }

    private let capacity: Int
    private let smallCapacity: Int
    private var place: [Place]
    private var uses: [UInt8]
    private var small: KeyList
    private var main: KeyList
    private var ghost: KeyList

    package init(capacity: Int, keys: Int) {
        self.capacity = capacity
        smallCapacity = max(1, capacity / 10)
        place = Array(repeating: .nowhere, count: keys)
        uses = Array(repeating: 0, count: keys)
        small = KeyList(keys: keys)
        main = small
        ghost = small
    }

    package mutating func access(_ key: Int) -> Bool {
        switch place[key] {
        case .small, .main:
            uses[key] = min(3, uses[key] + 1)
            return true
        case .ghost:
            ghost.remove(key)
            place[key] = .nowhere
            makeRoom()
            enterMain(key)
        case .nowhere:
            makeRoom()
            small.append(key)
            place[key] = .small
            uses[key] = 0
        }
        return false
    }

    private mutating func enterMain(_ key: Int) {
        main.append(key)
        place[key] = .main
        uses[key] = 0
    }

    private mutating func makeRoom() {
        while small.count + main.count >= capacity {
            if small.count > 0 && (small.count >= smallCapacity || main.count == 0) {
                evictFromSmall()
            } else {
                evictFromMain()
            }
        }
    }

    /// What was asked for goes on to the main queue, which may leave the cache as full as it was.
    private mutating func evictFromSmall() {
        let key = small.removeOldest()
        if uses[key] > 1 {
            enterMain(key)
            return
        }
        guard capacity > smallCapacity else {
            place[key] = .nowhere
            return
        }
        if ghost.count == capacity - smallCapacity { place[ghost.removeOldest()] = .nowhere }
        ghost.append(key)
        place[key] = .ghost
    }

    private mutating func evictFromMain() {
        while true {
            let key = main.removeOldest()
            guard uses[key] > 0 else {
                place[key] = .nowhere
                return
            }
            uses[key] -= 1
            main.append(key)
        }
    }
}
