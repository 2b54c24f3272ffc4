internal import MemoryPressure

/// A named reason why an idle process is not suspended, such as replication. It holds until it is ended or dropped.
public final class BackgroundMode: Sendable {
    /// The name, at most 64 characters.
    public let name: String
    private let onEnd: @Sendable () -> Void

    init(name: String, onEnd: @escaping @Sendable () -> Void) {
        self.name = name
        self.onEnd = onEnd
    }

    deinit {
        onEnd()
    }

    /// The reason holds no longer. Does nothing the second time.
    public func end() {
        onEnd()
    }
}

extension ProcessLifecycle {
    func beginBackgroundMode(_ name: String) -> BackgroundMode {
        let name = String(name.prefix(64))
        let id = state.withLock { state in
            state.nextID += 1
            state.modes[state.nextID] = name
            return state.nextID
        }
        watch.modesChanged(to: backgroundModes.count)
        return BackgroundMode(name: name) { [weak self] in
            guard let self else { return }
            state.withLock { $0.modes[id] = nil }
            watch.modesChanged(to: backgroundModes.count)
        }
    }

    /// The configured reasons and those that were begun.
    var backgroundModes: [String] {
        configuration.backgroundModes + state.withLock { $0.modes.values.sorted() }
    }
}
