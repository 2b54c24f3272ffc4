internal import Dispatch
internal import SystemPackage

extension KernelEvents {
    /// Opens every slot for one start. Where another start has begun meanwhile it leaves them to that one.
    func openAll(_ start: Int) {
        let map = CgroupMap.discover(in: root)
        for slot in slots { open(slot, map, start) }
    }

    var slots: [WatchBook.Slot] { triggers.indices.map { .trigger($0) } + [.memoryEvents, .systemd] }

    /// Opens one slot, and notes how that went.
    private func open(_ slot: WatchBook.Slot, _ map: CgroupMap, _ start: Int) {
        guard book.beginOpening(slot, start) else { return }
        let signal: @Sendable (WatchSignal) -> Void = { [weak self] signal in
            self?.receive(signal, from: slot, start)
        }
        let target = path(of: slot, map)
        do throws(WatchFailure) {
            let watch = try watch(slot, path: target, map, signal)
            if let target, let death = root.faults[target]?.dying { signal(.died(death)) }
            switch book.enter(watch, at: slot, start) {
            case .live: noteTriggers()
            case .outdated:
                watch.cancel()
                noteTriggers()
            case .dead(let death):
                watch.cancel()
                fail(slot, path: target, WatchFailure(arming: death), start)
            }
        } catch {
            fail(slot, path: target, error, start)
        }
    }

    /// Makes the watch of a slot.
    private func watch(
        _ slot: WatchBook.Slot, path: String?, _ map: CgroupMap, _ signal: @escaping @Sendable (WatchSignal) -> Void
    ) throws(WatchFailure) -> any Watch {
        if slot == .systemd {
            let request = try SystemdRequest(environment: environment)
            return try arming { () throws(Errno) in
                try SystemdWatch(request, in: root, queue: queue, signal: signal)
            }
        }
        guard let path else {
            throw WatchFailure(
                reason: map.levels.isEmpty
                    ? map.obstacle ?? "the process is in no cgroup with a memory controller"
                    : "cgroup v1 has no such file; usage thresholds take its place")
        }
        return try arming { () throws(Errno) in
            if case .trigger(let index) = slot {
                return try TriggerWatch(triggers[index], path: path, in: root, queue: queue, signal: signal)
            }
            return try EventsFileWatch(path: path, in: root, queue: queue, signal: signal)
        }
    }

    private func arming(_ body: () throws(Errno) -> any Watch) throws(WatchFailure) -> any Watch {
        do throws(Errno) {
            return try body()
        } catch {
            throw WatchFailure(arming: error)
        }
    }

    /// The file that a slot watches, as far as the cgroups decide it.
    private func path(of slot: WatchBook.Slot, _ map: CgroupMap) -> String? {
        switch slot {
        case .trigger: return map.pressurePath(in: root)
        case .memoryEvents:
            return map.levels.first.flatMap { $0.version == .v2 ? $0.directory + "/memory.events" : nil }
        case .systemd: return environment["MEMORY_PRESSURE_WATCH"]
        }
    }

    /// A watch has something to say; on the queue.
    private func receive(_ signal: WatchSignal, from slot: WatchBook.Slot, _ start: Int) {
        switch signal {
        case .event(let event):
            if book.noteEvent(slot, start) { delivery.add(event) }
        case .died(let error):
            guard let path = book.noteDeath(slot, error, start) else { return }
            fail(slot, path: path, WatchFailure(arming: error), start)
            // Its owner may want to see what killed it.
            delivery.add(KernelEvent(source: slot.source, grade: .normal, path: path))
        }
    }

    /// Notes a failure, and tries again later where that may help.
    private func fail(_ slot: WatchBook.Slot, path: String?, _ failure: WatchFailure, _ start: Int) {
        let wait = book.noteFailure(slot, path: path, failure, start)
        noteTriggers()
        guard let wait else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(wait.nanoseconds))) { [weak self] in
            guard let self, book.isNewest(start) else { return }
            open(slot, CgroupMap.discover(in: root), start)
        }
    }
}
