internal import JetsamSystem
internal import Synchronization

extension TaskTable {
    var statistics: BackgroundTaskStatistics {
        var sum = BackgroundTaskStatistics()
        for number in 0..<shardCount {
            unsafe shards[number].withLock { shard in
                sum.held += shard.holding
                sum.begun += shard.begun
                sum.ended += shard.ended
                sum.expired += shard.expired
                sum.overdue += shard.overdue
                sum.overdueNow += shard.overdueNow
            }
        }
        sum.refused = refused.load(ordering: .relaxed)
        sum.longHeld = longHeld.load(ordering: .relaxed)
        return sum
    }

    /// Goes through all entries, a chunk with each taking of a lock. `visit` runs under the lock and must not leave it. It gets the
    /// time when the entry last told progress, too; nil where it never did.
    func forEach(_ visit: (borrowing TaskEntry, Identifier, _ progressed: UInt32?) -> Void) {
        for number in 0..<shardCount {
            var chunk = 0
            var isLast = false
            while !isLast {
                unsafe shards[number].withLock { shard in
                    let entries = unsafe shard.slab.entries(ofChunk: chunk)
                    for slot in 0..<entries.count {
                        // By its address: the handler of a free slot is gone, and a copy of the entry would retain it.
                        guard let entry = unsafe entries.baseAddress.map({ unsafe $0 + slot }),
                            unsafe entry.pointee.phase != .free, unsafe entry.pointee.phase != .ended
                        else { continue }
                        let index = UInt32(truncatingIfNeeded: chunk << TaskSlab.chunkShift | slot)
                        let generation = unsafe entry.pointee.generation
                        unsafe visit(
                            entry.pointee, identifier(shard: number, index: index, generation: generation),
                            shard.slab.progress(index, generation: generation))
                    }
                    chunk += 1
                    isLast = chunk >= shard.slab.chunkCount
                }
            }
        }
    }

    func describe(_ task: OverdueTask) -> HeldBackgroundTask {
        let origin = origins[task.origin]
        return HeldBackgroundTask(
            name: origin.name, origin: origin.place,
            priority: ResourcePriority(rawValue: task.priority), age: age(task.began),
            sinceProgress: task.progressed.map { age($0) }, state: .overdue(for: overdueTime(task.since, at: now)),
            remaining: .zero, scene: scenes[task.owner])
    }

    func describe(_ entry: borrowing TaskEntry, progressed: UInt32?, at now: Int64) -> HeldBackgroundTask {
        let origin = origins[entry.origin]
        let state: HeldBackgroundTask.State =
            switch entry.phase {
            case .overdue: .overdue(for: overdueTime(entry.due, at: now))
            case .expiring: .expiring
            case .held, .free, .ended: .held
            }
        return HeldBackgroundTask(
            name: origin.name, origin: origin.place, priority: ResourcePriority(rawValue: entry.priority),
            age: age(entry.begunAt), sinceProgress: progressed.map { age($0) }, state: state,
            remaining: remaining(entry, at: now), scene: scenes[entry.owner])
    }

    /// - Parameter since: The end of the grace, in running time.
    private func overdueTime(_ since: Int64, at now: Int64) -> Duration { .nanoseconds(max(0, running(now) - since)) }

    /// Until the deadline: its own or the process's, whichever is earlier.
    func remaining(_ entry: borrowing TaskEntry, at now: Int64) -> Duration? {
        let process = deadline
        var left = process == .max ? Int64.max : max(0, process - now)
        switch entry.phase {
        case .held where entry.due == .max: break
        case .held: left = min(left, max(0, entry.due + entry.lead - running(now)))
        case .expiring: left = min(left, max(0, entry.due - graceNanoseconds - running(now)))
        case .overdue, .free, .ended: left = 0
        }
        return left == .max ? nil : .nanoseconds(left)
    }

    /// The value of `began` for an entry that begins now.
    var unit: Int64 { (now - start) >> TaskEntry.beginShift }

    /// The approximate average age of the tasks that hold up the end, in nanoseconds; 0 where there are none. Takes no lock.
    var meanAge: Int64 {
        var (held, began) = (0, 0)
        for number in 0..<shardCount {
            held += unsafe shards[number].holding
            began &+= unsafe shards[number].began
        }
        guard held > 0 else { return 0 }
        return max(0, unit - Int64(began / held)) << TaskEntry.beginShift
    }

    private func age(_ began: UInt32) -> Duration {
        .nanoseconds(Int64(TaskEntry.age(began, at: unit)) << TaskEntry.beginShift)
    }
}

/// The scenes that background tasks belong to, as numbers. A scene has one for as long as it has background tasks.
final class SceneNumbers: Sendable {
    private struct State {
        var numbers: [SceneIdentifier: UInt32] = [:]
        var scenes: [UInt32: (identifier: SceneIdentifier, tasks: Int)] = [:]
        var last: UInt32 = 0
    }

    private let state = Lock(State())

    /// The scene's number, which it keeps until all that entered have left.
    func enter(_ scene: SceneIdentifier) -> UInt32 {
        state.withLock { state in
            if let number = state.numbers[scene] {
                state.scenes[number]?.tasks += 1
                return number
            }
            repeat { state.last = state.last == .max ? 1 : state.last + 1 } while state.scenes[state.last] != nil
            state.numbers[scene] = state.last
            state.scenes[state.last] = (scene, 1)
            return state.last
        }
    }

    func leave(_ number: UInt32) {
        state.withLock { state in
            guard let scene = state.scenes[number] else { return }
            state.scenes[number]?.tasks -= 1
            guard scene.tasks == 1 else { return }
            state.scenes[number] = nil
            state.numbers[scene.identifier] = nil
        }
    }

    /// Nil where it has no background tasks.
    func known(_ scene: SceneIdentifier) -> UInt32? { state.withLock { $0.numbers[scene] } }

    subscript(_ number: UInt32) -> SceneIdentifier? {
        number == 0 ? nil : state.withLock { $0.scenes[number]?.identifier }
    }
}
