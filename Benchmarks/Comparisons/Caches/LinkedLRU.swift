import Synchronization

/// What one writes who wants an LRU: a dictionary of nodes that are linked in the order of their last use, behind the standard
/// library's lock.
final class LinkedLRU: Contender {
    private final class Node {
        let key: Int
        var value: Int
        var older: Node?
        unowned(unsafe) var newer: Node?

        init(_ key: Int, _ value: Int) {
            (self.key, self.value) = (key, value)
        }
    }

    private struct State {
        var nodes: [Int: Node] = [:]
        var newest: Node?
        unowned(unsafe) var oldest: Node?

        mutating func unlink(_ node: Node) {
            if let older = node.older { unsafe older.newer = node.newer } else { unsafe oldest = node.newer }
            if let newer = unsafe node.newer { newer.older = node.older } else { newest = node.older }
        }

        mutating func link(_ node: Node) {
            node.older = newest
            unsafe node.newer = nil
            if let newest { unsafe newest.newer = node } else { unsafe oldest = node }
            newest = node
        }
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int?, keys: Int) {
        self.capacity = capacity ?? .max
    }

    func find(_ key: Int) -> Int? {
        state.withLock { state in
            guard let node = state.nodes[key] else { return nil }
            if state.newest !== node {
                state.unlink(node)
                state.link(node)
            }
            return node.value
        }
    }

    func put(_ key: Int) {
        state.withLock { state in
            if state.nodes.count == capacity, let oldest = unsafe state.oldest {
                state.unlink(oldest)
                state.nodes[oldest.key] = nil
            }
            let node = Node(key, key)
            state.link(node)
            state.nodes[key] = node
        }
    }
}
