internal import Dispatch
internal import SystemPackage

extension KernelEvents {
    /// Opens every slot for one start. Where another start has begun meanwhile it leaves them to that one: of two watches of a slot
    /// it could not be told which of them has died.
    func openAll(_ generation: Int) {
        let map = CgroupMap.discover(in: root)
        for slot in slots { open(slot, map, generation) }
    }

    var slots: [Slot] { triggers.indices.map { .trigger($0) } + [.memoryEvents, .systemd] }

    /// Opens one slot, and notes how that went.
    private func open(_ slot: Slot, _ map: CgroupMap, _ generation: Int) {
        let isCurrent = state.withLock { state in
            guard state.phase == .active, state.generation == generation else { return false }
            state.stillborn[slot] = nil
            return true
        }
        guard isCurrent else { return }
        let signal: @Sendable (WatchSignal) -> Void = { [weak self] signal in
            self?.receive(signal, from: slot, generation)
        }
        let target = path(of: slot, map)
        do throws(WatchFailure) {
            let watch = try watch(slot, path: target, map, signal)
            if let target, let death = root.faults[target]?.dying { signal(.died(death)) }
            let (isCurrent, death) = state.withLock { state -> (Bool, Errno?) in
                guard state.phase == .active, state.generation == generation else { return (false, nil) }
                if let death = state.stillborn.removeValue(forKey: slot) { return (true, death) }
                state.standings[slot] = .live(watch)
                return (true, nil)
            }
            if !isCurrent || death != nil { watch.cancel() }
            if let death { return fail(slot, path: target, WatchFailure(arming: death), generation) }
            noteTriggers()
        } catch {
            fail(slot, path: target, error, generation)
        }
    }

    /// Makes the watch of a slot.
    private func watch(
        _ slot: Slot, path: String?, _ map: CgroupMap, _ signal: @escaping @Sendable (WatchSignal) -> Void
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
    private func path(of slot: Slot, _ map: CgroupMap) -> String? {
        switch slot {
        case .trigger: return map.pressurePath(in: root)
        case .memoryEvents:
            return map.levels.first.flatMap { $0.version == .v2 ? $0.directory + "/memory.events" : nil }
        case .systemd: return environment["MEMORY_PRESSURE_WATCH"]
        }
    }

    /// A watch has something to say; on the queue.
    private func receive(_ signal: WatchSignal, from slot: Slot, _ generation: Int) {
        switch signal {
        case .event(let event):
            let isCurrent = state.withLock { state in
                if state.generation == generation { state.backOffs[slot]?.succeeded() }
                return state.generation == generation
            }
            if isCurrent { delivery.add(event) }
        case .died(let error):
            let path = state.withLock { state -> String? in
                guard state.generation == generation else { return nil }
                if let watch = state.standings[slot]?.watch { return watch.path }
                // Whoever opens it has not written it down yet, and finds this there.
                state.stillborn[slot] = error
                return nil
            }
            guard let path else { return }
            fail(slot, path: path, WatchFailure(arming: error), generation)
            // Its owner may want to see what killed it.
            delivery.add(KernelEvent(source: slot.source, grade: .normal, path: path))
        }
    }

    /// Notes a failure, and tries again later where that may help.
    private func fail(_ slot: Slot, path: String?, _ failure: WatchFailure, _ generation: Int) {
        let wait: Duration? = state.withLock { state in
            guard state.phase == .active, state.generation == generation else { return nil }
            state.standings[slot] = .failed(path: path, reason: failure.reason)
            return failure.mayPass ? state.backOffs[slot, default: BackOff()].failed() : nil
        }
        noteTriggers()
        guard let wait else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(wait.nanoseconds))) { [weak self] in
            guard let self, state.withLock({ $0.generation == generation }) else { return }
            open(slot, CgroupMap.discover(in: root), generation)
        }
    }
}

extension KernelEvents.Slot {
    var source: MemorySignalSource {
        switch self {
        case .trigger: .pressureTrigger
        case .memoryEvents: .memoryEvents
        case .systemd: .systemdWatch
        }
    }
}
