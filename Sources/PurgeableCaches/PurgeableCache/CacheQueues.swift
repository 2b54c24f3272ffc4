/// A shard's two queues: new entries, which have yet to be asked for again, and those that were.
///
/// They are behind the shard's locks. Their links lie in the entries' headers.
struct CacheQueues {
    struct Queue {
        /// The newest.
        private(set) var head = CacheEntryHeader.none
        /// The oldest.
        private(set) var tail = CacheEntryHeader.none
        private(set) var count = 0
        private(set) var cost = 0
        /// Costs alone would let entries that cost nothing pass for none.
        var weight: Double { Double(cost) + Double(count) }

        fileprivate mutating func push(_ entry: UInt32, _ entries: CacheEntries) {
            let header = unsafe entries.header(entry)
            unsafe header.pointee.previous = CacheEntryHeader.none
            unsafe header.pointee.next = head
            if head == CacheEntryHeader.none {
                tail = entry
            } else {
                unsafe entries.header(head).pointee.previous = entry
            }
            head = entry
            count += 1
            unsafe cost &+= header.pointee.cost
        }

        fileprivate mutating func pull(_ entry: UInt32, _ entries: CacheEntries) {
            let header = unsafe entries.header(entry)
            unsafe connect(header.pointee.previous, header.pointee.next, entries)
            count -= 1
            unsafe cost &-= header.pointee.cost
        }

        /// Has two entries follow each other; none for the end of the queue.
        private mutating func connect(_ previous: UInt32, _ next: UInt32, _ entries: CacheEntries) {
            if previous == CacheEntryHeader.none {
                head = next
            } else {
                unsafe entries.header(previous).pointee.next = next
            }
            if next == CacheEntryHeader.none {
                tail = previous
            } else {
                unsafe entries.header(next).pointee.previous = previous
            }
        }

        /// Puts an entry that has a copy of another's header into the other's place.
        fileprivate mutating func replace(_ other: CacheEntryHeader, with entry: UInt32, _ entries: CacheEntries) {
            connect(other.previous, entry, entries)
            connect(entry, other.next, entries)
        }
    }

    private(set) var small = Queue()
    private(set) var main = Queue()

    var count: Int { small.count + main.count }
    var cost: Int { small.cost + main.cost }

    mutating func link(_ entry: UInt32, in place: UInt8, _ entries: CacheEntries) {
        unsafe entries.header(entry).pointee.place = place
        if place == CacheEntryHeader.Place.small {
            small.push(entry, entries)
        } else {
            main.push(entry, entries)
        }
    }

    mutating func unlink(_ entry: UInt32, _ entries: CacheEntries) {
        let header = unsafe entries.header(entry)
        if unsafe header.pointee.place == CacheEntryHeader.Place.small {
            small.pull(entry, entries)
        } else {
            main.pull(entry, entries)
        }
        unsafe header.pointee.place = CacheEntryHeader.Place.none
    }

    /// Puts an entry that has a copy of another's header into the other's place.
    mutating func replace(_ other: CacheEntryHeader, with entry: UInt32, _ entries: CacheEntries) {
        if other.place == CacheEntryHeader.Place.small {
            small.replace(other, with: entry, entries)
        } else {
            main.replace(other, with: entry, entries)
        }
    }

    /// The queue whose turn it is to lose an entry, while the new ones may have such a share.
    func next(share: Double) -> (entry: UInt32, isSmall: Bool) {
        let isSmall = main.count == 0 || small.count > 0 && small.weight >= share * (small.weight + main.weight)
        return (isSmall ? small.tail : main.tail, isSmall)
    }
}
