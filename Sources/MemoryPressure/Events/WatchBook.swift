internal import JetsamSystem
internal import SystemPackage

/// The record of what ``KernelEvents`` watches: which watches live, which failed and why, and when one is sought again.
///
/// Each start has a number. What an earlier start left behind comes with its own number, and is told that it counts no longer: of two
/// watches of a slot it could not be told which of them has died.
final class WatchBook: Sendable {
    /// The things that can be watched: a trigger by its index, or one of the others.
    enum Slot: Hashable { case trigger(Int), memoryEvents, systemd }

    /// The state of one slot.
    enum Standing: Sendable {
        case live(any Watch)
        case failed(path: String?, reason: String)
    }

    /// What became of a watch that was just made.
    enum Entry {
        case live
        /// Another start has begun meanwhile.
        case outdated
        /// It died before it was entered.
        case dead(Errno)
    }

    /// One arming of usage thresholds, by the start and by its own number.
    struct Arming: Sendable {
        fileprivate let start: Int
        fileprivate let number: Int
    }

    private enum Phase { case idle, active, cancelled }

    private struct State {
        var phase = Phase.idle
        /// The number of the newest start.
        var start = 0
        var standings: [Slot: Standing] = [:]
        var backOffs: [Slot: BackOff] = [:]
        /// The slots that died before they were entered as alive.
        var stillborn: [Slot: Errno] = [:]
        var threshold: Standing?
        /// The number of times that thresholds were armed, and the arming that `threshold` tells of.
        var armings = 0
        var arming = 0
        var stillbornThreshold: (arming: Int, error: Errno)?

        func isCurrent(_ start: Int) -> Bool { phase == .active && self.start == start }

        /// Begins anew, and returns all that is alive.
        mutating func clear() -> [any Watch] {
            start += 1
            defer {
                standings = [:]
                threshold = nil
            }
            return (Array(standings.values) + [threshold].compactMap { $0 }).compactMap(\.watch)
        }
    }

    private let state = Lock(State())

    // MARK: Starts

    /// Returns the number of the first start; nil where it is not the first.
    func activate() -> Int? {
        state.withLock { state in
            guard state.phase == .idle else { return nil }
            state.phase = .active
            return state.start
        }
    }

    /// Returns the number of a new start, and the watches of the one before, which are to be cancelled.
    func restart() -> (start: Int, old: [any Watch]) {
        state.withLock { state in
            let old = state.clear()
            return (state.start, old)
        }
    }

    /// Ends everything, and returns the watches that are to be cancelled.
    func cancel() -> [any Watch] {
        state.withLock { state in
            state.phase = .cancelled
            return state.clear()
        }
    }

    var isActive: Bool { state.withLock { $0.phase == .active } }
    var wasActivated: Bool { state.withLock { $0.phase != .idle } }

    func isNewest(_ start: Int) -> Bool { state.withLock { $0.start == start } }

    // MARK: Slots

    /// Returns false where another start has begun, which opens the slot itself.
    func beginOpening(_ slot: Slot, _ start: Int) -> Bool {
        state.withLock { state in
            guard state.isCurrent(start) else { return false }
            state.stillborn[slot] = nil
            return true
        }
    }

    func enter(_ watch: any Watch, at slot: Slot, _ start: Int) -> Entry {
        state.withLock { state in
            guard state.isCurrent(start) else { return .outdated }
            if let death = state.stillborn.removeValue(forKey: slot) { return .dead(death) }
            state.standings[slot] = .live(watch)
            return .live
        }
    }

    /// An event came: the next failure is not waited for longer than the first. Returns false where another start has begun.
    func noteEvent(_ slot: Slot, _ start: Int) -> Bool {
        state.withLock { state in
            guard state.start == start else { return false }
            state.backOffs[slot]?.succeeded()
            return true
        }
    }

    /// Returns the path of the watch that died; nil where it is not entered yet, which finds this then, or where another start has begun.
    func noteDeath(_ slot: Slot, _ error: Errno, _ start: Int) -> String? {
        state.withLock { state in
            guard state.start == start else { return nil }
            if let watch = state.standings[slot]?.watch { return watch.path }
            state.stillborn[slot] = error
            return nil
        }
    }

    /// Returns the time after which the slot is to be opened again; nil where that would not help.
    func noteFailure(_ slot: Slot, path: String?, _ failure: WatchFailure, _ start: Int) -> Duration? {
        state.withLock { state in
            guard state.isCurrent(start) else { return nil }
            state.standings[slot] = .failed(path: path, reason: failure.reason)
            return failure.mayPass ? state.backOffs[slot, default: BackOff()].failed() : nil
        }
    }

    /// Returns the standings of the slots in their order; a slot without one was cancelled.
    func standings(of slots: [Slot]) -> [Standing] {
        state.withLock { state in
            slots.map { state.standings[$0] ?? .failed(path: nil, reason: "it was cancelled") }
        }
    }

    func isAnyLive(of slots: [Slot]) -> Bool {
        state.withLock { state in slots.contains { state.standings[$0]?.watch != nil } }
    }

    // MARK: Usage thresholds

    var threshold: Standing? { state.withLock { $0.threshold } }

    /// Returns nil where nothing is watched.
    func beginArming() -> Arming? {
        state.withLock { state in
            state.armings += 1
            return state.phase == .active ? Arming(start: state.start, number: state.armings) : nil
        }
    }

    /// Returns the watches that are to be cancelled, and whether the thresholds are alive.
    func enterThreshold(_ standing: Standing, directory: String, _ arming: Arming) -> (old: [any Watch], isLive: Bool) {
        state.withLock { state in
            let new = standing.watch
            guard state.isCurrent(arming.start) else { return ([new].compactMap { $0 }, false) }
            let earlier = state.threshold?.watch
            state.arming = arming.number
            if let death = state.stillbornThreshold, death.arming == arming.number {
                state.threshold = .failed(path: directory, reason: ErrnoText.arming(death.error))
                return ([earlier, new].compactMap { $0 }, false)
            }
            state.threshold = standing
            return ([earlier].compactMap { $0 }, new != nil)
        }
    }

    /// Returns false where later thresholds were armed, or another start has begun.
    func noteThreshold(_ signal: WatchSignal, directory: String, _ arming: Arming) -> Bool {
        state.withLock { state in
            guard state.start == arming.start, arming.number >= state.arming else { return false }
            if case .died(let error) = signal {
                if arming.number == state.arming {
                    state.threshold = .failed(path: directory, reason: ErrnoText.arming(error))
                } else {
                    // Whoever arms it has not entered it yet, and finds this there.
                    state.stillbornThreshold = (arming.number, error)
                }
            }
            return true
        }
    }
}

extension WatchBook.Slot {
    var source: MemorySignalSource {
        switch self {
        case .trigger: .pressureTrigger
        case .memoryEvents: .memoryEvents
        case .systemd: .systemdWatch
        }
    }
}

extension WatchBook.Standing {
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
