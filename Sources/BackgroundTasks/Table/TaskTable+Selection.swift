internal import HeapModule
internal import JetsamSystem

/// Which tasks are told, or shown.
extension TaskTable {
    /// Orders by priority, then by how long they stand still.
    private struct Rank: Comparable {
        var key: UInt64
        var identifier: Identifier

        static func < (lhs: Rank, rhs: Rank) -> Bool { (lhs.key, lhs.identifier) < (rhs.key, rhs.identifier) }
    }

    func lowestRanking(atMost most: Int) -> [Identifier] {
        let unit = unit
        return select(most) { entry, progressed in
            let youth = ~TaskEntry.age(progressed ?? entry.begunAt, at: unit)
            return entry.phase == .held ? UInt64(entry.priority) << 32 | UInt64(youth) : nil
        }
    }

    /// - Parameter areHolding: Only those that hold up the end.
    func longestRunning(limit: Int, areHolding: Bool = false) -> [HeldBackgroundTask] {
        let unit = unit
        let leavesOut = areHolding && !overdueHolds ? TaskEntry.Phase.overdue : .ended
        return select(limit) { entry, _ in
            entry.phase == leavesOut ? nil : UInt64(~TaskEntry.age(entry.begunAt, at: unit))
        }.compactMap { held($0) }
    }

    /// The entries with the lowest keys, those first. Keeps no more than it gives.
    private func select(
        _ most: Int, _ key: (borrowing TaskEntry, _ progressed: UInt32?) -> UInt64?
    ) -> [Identifier] {
        guard most > 0 else { return [] }
        var heap = Heap<Rank>()
        forEach { entry, identifier, progressed in
            guard let key = key(entry, progressed) else { return }
            let rank = Rank(key: key, identifier: identifier)
            if heap.count < most {
                heap.insert(rank)
            } else if let highest = heap.max, rank < highest {
                heap.replaceMax(with: rank)
            }
        }
        var result: [Identifier] = []
        result.reserveCapacity(heap.count)
        while let rank = heap.popMin() { result.append(rank.identifier) }
        return result
    }

    func identifiers(of owner: UInt32) -> [Identifier] {
        var result: [Identifier] = []
        forEach { entry, identifier, _ in
            if entry.owner == owner { result.append(identifier) }
        }
        return result
    }

    /// What is held and was not told yet.
    func heldIdentifiers(named name: String?) -> [Identifier] {
        let wanted = name.map { origins.numbers(named: $0) }
        var result: [Identifier] = []
        forEach { entry, identifier, _ in
            if entry.phase == .held, wanted?.contains(entry.origin) ?? true { result.append(identifier) }
        }
        return result
    }
}
