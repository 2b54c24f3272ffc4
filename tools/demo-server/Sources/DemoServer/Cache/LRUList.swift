internal import NIOCore

/// Values in the order of their last use: a dictionary over a doubly linked list whose nodes live in one array.
///
/// A plain value without a lock. What it drops it hands back, so that the owner can let go of the memory outside of its
/// lock: freeing thousands of blocks takes milliseconds, in which nobody else should wait.
struct LRUList {
    private struct Node {
        var key: Int
        /// Nil while the node is on the free list.
        var value: ByteBuffer?
        var newer: Int
        var older: Int
    }

    private static let none = -1

    private var nodes: [Node] = []
    private var places: [Int: Int] = [:]
    private var newest = Self.none
    private var oldest = Self.none
    /// The first of the unused nodes, which are linked through `older`.
    private var firstFree = Self.none
    private(set) var size = CacheSize()

    /// The value for `key`, which becomes the most recently used.
    mutating func use(_ key: Int) -> ByteBuffer? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            linkAsNewest(place)
        }
        return nodes[place].value
    }

    /// Keeps `value` as the most recently used one for `key`; gives back the one that it replaces.
    mutating func insert(_ value: ByteBuffer, for key: Int) -> ByteBuffer? {
        size.bytes += CacheSize.cost(of: value)
        if let place = places[key] {
            let replaced = nodes[place].value.take()
            nodes[place].value = value
            size.bytes -= replaced.map(CacheSize.cost(of:)) ?? 0
            if place != newest {
                unlink(place)
                linkAsNewest(place)
            }
            return replaced
        }
        size.entries += 1
        let place = makeNode(key: key, value: value)
        places[key] = place
        linkAsNewest(place)
        return nil
    }

    /// Drops the least recently used value and hands it back; nil where there is none.
    mutating func removeOldest() -> ByteBuffer? {
        guard oldest != Self.none else { return nil }
        let place = oldest
        unlink(place)
        places[nodes[place].key] = nil
        guard let value = nodes[place].value.take() else { return nil }
        nodes[place].older = firstFree
        firstFree = place
        size.entries -= 1
        size.bytes -= CacheSize.cost(of: value)
        return value
    }

    /// What each value that is kept costs.
    var bytesByKey: [Int: Int] {
        places.mapValues { nodes[$0].value.map(CacheSize.cost(of:)) ?? 0 }
    }

    private mutating func makeNode(key: Int, value: ByteBuffer) -> Int {
        let node = Node(key: key, value: value, newer: Self.none, older: Self.none)
        guard firstFree != Self.none else {
            nodes.append(node)
            return nodes.count - 1
        }
        let place = firstFree
        firstFree = nodes[place].older
        nodes[place] = node
        return place
    }

    private mutating func linkAsNewest(_ place: Int) {
        nodes[place].newer = Self.none
        nodes[place].older = newest
        if newest != Self.none { nodes[newest].newer = place }
        newest = place
        if oldest == Self.none { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (nodes[place].newer, nodes[place].older)
        if newer == Self.none { newest = older } else { nodes[newer].older = older }
        if older == Self.none { oldest = newer } else { nodes[older].newer = newer }
    }
}
