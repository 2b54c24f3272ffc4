internal import SystemPackage

extension KernelEvents {
    /// Wakes when the usage of a v1 cgroup crosses one of `bytes`, in either direction; replaces earlier thresholds.
    ///
    /// The event's grade is `.normal`: it only says that a reading is due. Opens and allocates.
    /// - Parameters:
    ///   - directory: The cgroup's directory, inside the kernel root.
    ///   - bytes: Usage, page cache included.
    /// - Returns: False where that cannot be done, which ``statuses`` then explains; earlier thresholds are gone all the same.
    package func armUsageThresholds(directory: String, bytes: [Int]) -> Bool {
        let current = state.withLock { state in
            state.armings += 1
            return (isActive: state.phase == .active, generation: state.generation, arming: state.armings)
        }
        guard current.isActive else { return false }
        let standing = makeThresholds(directory, bytes, current.generation, current.arming)
        let (outdated, isLive) = state.withLock { state -> ([any Watch], Bool) in
            guard state.phase == .active, state.generation == current.generation else {
                return ([standing.watch].compactMap { $0 }, false)
            }
            let earlier = state.threshold?.watch
            state.arming = current.arming
            if let death = state.stillbornThreshold, death.arming == current.arming {
                state.threshold = .failed(path: directory, reason: ErrnoText.arming(death.error))
                return ([earlier, standing.watch].compactMap { $0 }, false)
            }
            state.threshold = standing
            return ([earlier].compactMap { $0 }, standing.watch != nil)
        }
        for watch in outdated { watch.cancel() }
        return isLive
    }

    /// Indicates whether usage thresholds are armed and alive.
    package var hasLiveThreshold: Bool { state.withLock { $0.threshold?.watch != nil } }

    private func makeThresholds(_ directory: String, _ bytes: [Int], _ generation: Int, _ arming: Int) -> Standing {
        do throws(Errno) {
            let watch = try UsageThresholdWatch(directory: directory, thresholds: bytes, in: root, queue: queue) {
                [weak self] signal in
                self?.receiveThreshold(signal, directory, generation, arming)
            }
            if let death = root.faults[watch.path]?.dying {
                receiveThreshold(.died(death), directory, generation, arming)
            }
            return .live(watch)
        } catch .noSuchFileOrDirectory {
            return .failed(path: directory, reason: "ENOENT: this cgroup has no usage thresholds; only v1 has")
        } catch {
            return .failed(path: directory, reason: ErrnoText.arming(error))
        }
    }

    private func receiveThreshold(_ signal: WatchSignal, _ directory: String, _ generation: Int, _ arming: Int) {
        let isCurrent = state.withLock { state in
            guard state.generation == generation, arming >= state.arming else { return false }
            if case .died(let error) = signal {
                if arming == state.arming {
                    state.threshold = .failed(path: directory, reason: ErrnoText.arming(error))
                } else {
                    // Whoever arms it has not written it down yet, and finds this there.
                    state.stillbornThreshold = (arming, error)
                }
            }
            return true
        }
        guard isCurrent else { return }
        if case .event(let event) = signal { return delivery.add(event) }
        delivery.add(KernelEvent(source: .usageThreshold, grade: .normal, path: directory))
    }
}

extension KernelEvents.Standing {
    /// The watch, where it is alive.
    var watch: (any Watch)? {
        if case .live(let watch) = self { watch } else { nil }
    }

    /// As it is told to the outside.
    func status(_ source: MemorySignalSource) -> SourceStatus {
        var status =
            switch self {
            case .live(let watch): SourceStatus(source: source, path: watch.path, availability: .used)
            case .failed(let path, let reason):
                SourceStatus(source: source, path: path, availability: .notAvailable(reason: reason))
            }
        status.isWakeUp = true
        return status
    }
}

extension KernelEvents {
    /// Every source of wake-ups: used, or why not. A PSI file whose triggers fared differently is told by the first that
    /// failed.
    package var statuses: [SourceStatus] {
        state.withLock { state in
            guard state.phase != .idle else { return [] }
            let standings = slots.map { slot in
                state.standings[slot] ?? .failed(path: nil, reason: "it was cancelled")
            }
            let trigger = standings.prefix(triggers.count).min { ($0.watch == nil ? 0 : 1) < ($1.watch == nil ? 0 : 1) }
            let threshold = state.threshold ?? .failed(path: nil, reason: "none was asked for so far")
            return [
                (trigger ?? .failed(path: nil, reason: "no trigger was asked for")).status(.pressureTrigger),
                standings[triggers.count].status(.memoryEvents),
                threshold.status(.usageThreshold),
                standings[triggers.count + 1].status(.systemdWatch),
            ]
        }
    }
}
