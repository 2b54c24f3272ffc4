internal import MemoryPressure

/// A named reason why a process in the background is not suspended, such as replication. It holds until it is ended or dropped.
public final class BackgroundMode: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) {
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
        modesChanged()
        return BackgroundMode { [weak self] in
            guard let self else { return }
            let wasThere = state.withLock { $0.modes.removeValue(forKey: id) != nil }
            if wasThere { modesChanged() }
        }
    }

    private func modesChanged() {
        watch.modesChanged(to: backgroundModes.count)
        renewBackgroundTime()
    }

    /// The configured reasons and those that were begun.
    var backgroundModes: [String] {
        configuration.backgroundModes + state.withLock { $0.modes.values.sorted() }
    }
}
