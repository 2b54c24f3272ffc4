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

/// The named reasons that hold a process in the background: the configured ones, and those that were begun.
final class BackgroundModes: Sendable {
    private struct State {
        var begun: [UInt64: String] = [:]
        var nextID: UInt64 = 0
    }

    private static let longestName = 64

    private let state = Lock(State())
    private let configured: [String]
    private let watch: LifecycleWatch

    /// - Parameter watch: Told how many there are.
    init(_ configured: [String], watch: LifecycleWatch) {
        self.configured = configured
        self.watch = watch
        watch.modesChanged(by: configured.count)
    }

    /// The configured ones first.
    var names: [String] { configured + state.withLock { $0.begun.values.sorted() } }

    var isEmpty: Bool { configured.isEmpty && state.withLock { $0.begun.isEmpty } }

    /// - Returns: A number to end it with.
    func begin(_ name: String) -> UInt64 {
        let name = String(name.prefix(Self.longestName))
        watch.modesChanged(by: 1)
        return state.withLock { state in
            state.nextID += 1
            state.begun[state.nextID] = name
            return state.nextID
        }
    }

    /// - Returns: False where it has ended already.
    func end(_ id: UInt64) -> Bool {
        guard state.withLock({ $0.begun.removeValue(forKey: id) != nil }) else { return false }
        watch.modesChanged(by: -1)
        return true
    }
}
