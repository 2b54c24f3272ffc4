/// The policies once more, as slow and as plain as they can be written: arrays of keys, the oldest first.
protocol NaivePolicy {
    init(capacity: Int)
    mutating func access(_ key: UInt32) -> Bool
}

struct NaiveLRU: NaivePolicy {
    let capacity: Int
    var cached: [UInt32] = []

    init(capacity: Int) { self.capacity = capacity }

    mutating func access(_ key: UInt32) -> Bool {
        let isHit = cached.contains(key)
        cached.removeAll { $0 == key }
        if cached.count == capacity { cached.removeFirst() }
        cached.append(key)
        return isHit
    }
}

struct NaiveSieve: NaivePolicy {
    let capacity: Int
    var cached: [(key: UInt32, wasAsked: Bool)] = []
    var hand = 0

    init(capacity: Int) { self.capacity = capacity }

    mutating func access(_ key: UInt32) -> Bool {
        if let place = cached.firstIndex(where: { $0.key == key }) {
            cached[place].wasAsked = true
            return true
        }
        if cached.count == capacity {
            while cached[hand].wasAsked {
                cached[hand].wasAsked = false
                hand = (hand + 1) % cached.count
            }
            cached.remove(at: hand)
            // Beyond the newest, it begins again with the oldest, and not with what is put in meanwhile.
            if hand == cached.count { hand = 0 }
        }
        cached.append((key, false))
        return false
    }
}

struct NaiveS3FIFO: NaivePolicy {
    let capacity: Int
    let smallCapacity: Int
    var small: [(key: UInt32, uses: Int)] = []
    var main: [(key: UInt32, uses: Int)] = []
    var ghost: [UInt32] = []

    init(capacity: Int) {
        self.capacity = capacity
        smallCapacity = max(1, capacity / 10)
    }

    mutating func access(_ key: UInt32) -> Bool {
        if let place = small.firstIndex(where: { $0.key == key }) {
            small[place].uses = min(3, small[place].uses + 1)
            return true
        }
        if let place = main.firstIndex(where: { $0.key == key }) {
            main[place].uses = min(3, main[place].uses + 1)
            return true
        }
        let isGhost = ghost.contains(key)
        ghost.removeAll { $0 == key }
        while small.count + main.count >= capacity {
            if main.isEmpty || small.count >= smallCapacity {
                let first = small.removeFirst()
                if first.uses > 1 { main.append((first.key, 0)) } else { ghost.append(first.key) }
                if ghost.count > capacity - smallCapacity { ghost.removeFirst() }
            } else {
                while main[0].uses > 0 {
                    let first = main.removeFirst()
                    main.append((first.key, first.uses - 1))
                }
                main.removeFirst()
            }
        }
        if isGhost { main.append((key, 0)) } else { small.append((key, 0)) }
        return false
    }
}

/// In the paper's four cases; its lists T1, T2, B1 and B2.
struct NaiveARC: NaivePolicy {
    let capacity: Int
    var target = 0
    var once: [UInt32] = []
    var often: [UInt32] = []
    var onceGone: [UInt32] = []
    var oftenGone: [UInt32] = []

    init(capacity: Int) { self.capacity = capacity }

    mutating func access(_ key: UInt32) -> Bool {
        if once.contains(key) || often.contains(key) {
            once.removeAll { $0 == key }
            often.removeAll { $0 == key }
            often.append(key)
            return true
        }
        if onceGone.contains(key) {
            target = min(capacity, target + max(oftenGone.count / onceGone.count, 1))
            replace(key)
            onceGone.removeAll { $0 == key }
            often.append(key)
        } else if oftenGone.contains(key) {
            target = max(0, target - max(onceGone.count / oftenGone.count, 1))
            replace(key)
            oftenGone.removeAll { $0 == key }
            often.append(key)
        } else {
            if once.count + onceGone.count == capacity {
                if once.count < capacity {
                    onceGone.removeFirst()
                    replace(key)
                } else {
                    once.removeFirst()
                }
            } else if once.count + often.count + onceGone.count + oftenGone.count >= capacity {
                if once.count + often.count + onceGone.count + oftenGone.count == 2 * capacity {
                    oftenGone.removeFirst()
                }
                replace(key)
            }
            once.append(key)
        }
        return false
    }

    private mutating func replace(_ key: UInt32) {
        guard once.count + often.count == capacity else { return }
        if !once.isEmpty && (once.count > target || (oftenGone.contains(key) && once.count == target) || often.isEmpty)
        {
            onceGone.append(once.removeFirst())
        } else {
            oftenGone.append(often.removeFirst())
        }
    }
}
