internal import MemoryPressure

extension ServerScene {
    /// Tells the observer that its scene connects, with its stored state. The caller has the scene's turn.
    func attach(_ connection: SceneConnection) async throws(SceneRefusal) {
        let restored = try await storedState(for: connection)
        let deadline = connection.deadline(parts.now, parts.configuration.connectDeadline)
        let target: SceneState = connection.origin.target == .active ? .inactive : .background
        _ = try begin(target, cause: connection.origin.cause)
        let transition = SceneTransition(
            sequence: parts.nextSequence(), scene: identifier, from: .unattached, to: target,
            cause: connection.origin.cause)
        let answer = Lock<(any Error)?>(nil)
        let hasBegun = Lock(false)
        let outcome = await call(.willConnect, by: deadline) { [self] in
            hasBegun.withLock { $0 = true }
            do {
                try await connection.observer.willConnect(self, restoring: restored)
            } catch {
                answer.withLock { $0 = error }
            }
            // Only now: as long as it runs it can still crash, also when nobody waits for it any more.
            if restored != nil { await saving.endRestoration() }
        }
        if restored != nil, case .late = outcome {
            parts.log.count(\.failedRestores)
            // Never begun, it cannot have crashed.
            if !hasBegun.withLock({ $0 }) { await saving.endRestoration() }
        }
        if case .late = outcome { throw .missedDeadline(.willConnect) }
        if let error = answer.withLock({ $0 }) {
            if restored != nil { parts.log.count(\.failedRestores) }
            throw .observerThrew(error)
        }
        if restored != nil { parts.log.count(\.restores) }
        carryOutCommit(transition)
    }

    /// Ends a scene that could not be connected. Nobody is told.
    func abandon(_ connection: SceneConnection) async {
        giveUp()
        releaseObserver()
        belongings.end()
        manager?.remove(self)
        // It goes back to the predecessor, and must not be restored here as well.
        if connection.handedOver != nil, let stamp = saving.stamp { await saving.forget(ifStampIs: stamp) }
    }
}
