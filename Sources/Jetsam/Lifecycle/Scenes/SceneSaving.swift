internal import Logging
internal import MemoryPressure

/// The stored state of one scene: what is known of it, and the calls of the store, one after another.
final class SceneSaving: Sendable {
    private let identifier: SceneIdentifier
    private let priority: ResourcePriority
    private let parts: SceneParts
    private let calls: SceneCalls
    /// Called when a state was stored for the first time after others could not be.
    private let storeReturned: @Sendable () -> Void
    private let state = Lock(SavedState())
    private let storeCalls = SerialCalls()

    init(
        _ identifier: SceneIdentifier, priority: ResourcePriority, parts: SceneParts, calls: SceneCalls,
        storeReturned: @escaping @Sendable () -> Void
    ) {
        self.identifier = identifier
        self.priority = priority
        self.parts = parts
        self.calls = calls
        self.storeReturned = storeReturned
    }

    /// Indicates whether the stored state, if any, may be out of date.
    var isUnsaved: Bool { state.withLock { $0.isUnsaved } }
    /// The state that was encoded and could not be stored.
    var waiting: SceneStateData? { state.withLock { $0.waiting } }
    /// The stamp of the stored state.
    var stamp: UInt64? { state.withLock { $0.stamp } }

    /// Notes that the scene serves: its state may change from here on.
    func mayChange() {
        state.withLock { $0.mayChange(hasStore: parts.store != nil) }
    }

    /// Notes the state that the observer gave. One that is too long is not kept.
    func wasEncoded(_ data: SceneStateData) {
        state.withLock { $0.wasEncoded(data, maximumBytes: parts.configuration.maximumStateBytes) }
    }

    /// Notes that the observer was asked and threw.
    func wasNotEncoded() {
        state.withLock { $0.wasNotEncoded() }
    }

    /// Notes that nothing has changed since the observer was asked last.
    func isUnchanged() {
        state.withLock { $0.isUnchanged() }
    }

    /// Keeps a state until somebody has it.
    func keep(_ data: SceneStateData?) {
        state.withLock { $0.keep(data) }
    }

    /// Drops the state that waits, for a scene that is gone.
    func forgetWaiting() {
        state.withLock { $0.forgetWaiting() }
    }

    /// Stores a state.
    ///
    /// - Parameter expectedBytes: The bytes that the scene declares.
    func store(_ data: SceneStateData, expectedBytes: Int, by deadline: MonotonicInstant) async {
        guard let store = parts.store else { return }
        if let error = tooLarge(data) { return fail("\(error)") }
        let stored = StoredScene(
            identifier: identifier, priority: priority, expectedBytes: expectedBytes,
            stamp: .random(in: .min ... .max))
        state.withLock { $0.willBeStored(data) }
        guard !parts.storage.isDenied else { return fail("the state store is not available") }
        await callStore(by: deadline) { [self] in
            do throws(SceneStateStoreError) {
                let began = parts.now
                try await store.save(stored, data)
                parts.gauges.noteStoringTime(began.duration(to: parts.now))
                state.withLock { $0.wasStored(data, stamp: stored.stamp) }
                parts.log.count(\.saves)
                if parts.storage.noteSuccess() { storeReturned() }
            } catch {
                fail("its state was not stored: \(error)")
                parts.storage.noteFailure(error)
            }
        }
    }

    /// Returns an error where a state is longer than those that are stored.
    func tooLarge(_ data: SceneStateData) -> SceneStateStoreError? {
        let maximum = parts.configuration.maximumStateBytes
        return data.bytes.count > maximum ? .tooLarge(bytes: data.bytes.count, maximum: maximum) : nil
    }

    /// Notes that the state could not be stored.
    func fail(_ reason: String) {
        state.withLock { $0.wasNotStored() }
        parts.log.count(\.failedSaves)
        parts.log.warn("Scene '\(identifier)': \(reason)")
    }

    /// Forgets what is stored, for a scene that is gone.
    ///
    /// - Parameter stamp: Where it is given, only the state that was stored with it.
    func forget(ifStampIs stamp: UInt64?) async {
        guard let store = parts.store else { return }
        _ = await storeCalls.call(by: parts.transitionDeadline, parts.deadlines) { [self] in
            do throws(SceneStateStoreError) {
                try await store.remove(identifier, stamp: stamp)
            } catch {
                parts.log.logger.warning("Scene '\(identifier)': its stored state could not be removed: \(error)")
            }
        }
    }

    /// Reads the state that is stored, for a scene that is handed over.
    func load(by deadline: MonotonicInstant) async throws(SceneStateStoreError) -> SceneStateData? {
        guard let store = parts.store else { return nil }
        let result = await storeCalls.result(by: deadline, parts.deadlines) {
            [identifier] () async throws(SceneStateStoreError) in try await store.load(identifier)?.1
        }
        return try (result ?? .failure(.unavailable)).get()
    }

    private func callStore(by deadline: MonotonicInstant, _ body: @escaping @Sendable () async -> Void) async {
        let outcome = await storeCalls.call(by: deadline, parts.deadlines, body)
        if case .late = outcome { calls.noteLate(.storeState) }
    }
}

/// The way back from the store, for a scene that connects.
extension SceneSaving {
    /// The answer of the store to a scene that connects.
    private enum Answer: Sendable {
        case none
        case state(SceneStateData)
        /// Restoring it was under way in so many starts that crashed.
        case crashLoop(Int)
    }

    /// The reading of a stored state.
    private enum Reading: Sendable {
        /// The scene waits for it.
        case open
        /// The store has answered while the scene waited.
        case answered(Result<Answer, SceneStateStoreError>)
        /// The scene waits no more, and the store has not answered.
        case givenUp
    }

    /// Reads the state that a connecting scene begins with, and marks its restoration as begun.
    ///
    /// - Throws: ``SceneRefusal`` where the scene may not begin without it.
    func restore(_ connection: SceneConnection, by deadline: MonotonicInstant) async throws(SceneRefusal)
        -> SceneStateData?
    {
        guard let store = parts.store, connection.restoration.code != .none else { return nil }
        guard !parts.storage.isDenied else { throw .store(.unavailable) }
        let reading = Lock(Reading.open)
        await callStore(by: deadline) { [self] in
            let result: Result<Answer, SceneStateStoreError>
            do throws(SceneStateStoreError) {
                result = .success(try await read(connection, from: store))
            } catch {
                result = .failure(error)
            }
            let isGivenUp = reading.withLock { reading in
                if case .givenUp = reading { return true }
                reading = .answered(result)
                return false
            }
            // Nobody restores it now, and the mark would count as a crash.
            if isGivenUp, case .success(.state) = result { await endRestoration() }
        }
        let result = reading.withLock { reading -> Result<Answer, SceneStateStoreError> in
            if case .answered(let result) = reading { return result }
            reading = .givenUp
            return .failure(.unavailable)
        }
        return try judge(result)
    }

    private func read(
        _ connection: SceneConnection, from store: any SceneStateStore
    ) async throws(SceneStateStoreError) -> Answer {
        guard let (stored, data) = try await store.load(identifier) else { return .none }
        let crashed = try await store.unfinishedRestorations(of: identifier)
        if connection.restoration.code == .automatic, crashed >= parts.configuration.crashedStarts {
            return .crashLoop(crashed)
        }
        // The mark that a crash would leave behind.
        do throws(SceneStateStoreError) {
            _ = try await store.beginRestoration(of: identifier)
        } catch {
            parts.storage.noteFailure(error)
            // A client need not wait for a disk that is full; restoration does.
            guard error.isUnavailability, connection.origin != .restoration else { throw error }
        }
        state.withLock { $0.wasRead(stamp: stored.stamp) }
        return .state(data)
    }

    private func judge(_ result: Result<Answer, SceneStateStoreError>) throws(SceneRefusal) -> SceneStateData? {
        switch result {
        case .success(.none): return nil
        case .success(.state(let data)): return data
        case .success(.crashLoop(let starts)):
            parts.log.count(\.skippedRestores)
            throw .crashLoop(starts)
        case .failure(let error):
            parts.log.count(\.failedRestores)
            // What is damaged lies aside by now; beginning without it overwrites nothing.
            guard error.isDamage else { throw .store(error) }
            parts.log.logger.warning("Scene '\(identifier)': its stored state is \(error); it was kept aside")
            return nil
        }
    }

    /// Takes the mark of the scene's restoration away: it has ended, and has not crashed.
    func endRestoration() async {
        guard let store = parts.store else { return }
        do throws(SceneStateStoreError) {
            try await store.endRestoration(of: identifier)
        } catch {
            parts.log.logger.warning("Scene '\(identifier)': the mark of its restoration stays: \(error)")
        }
    }
}
