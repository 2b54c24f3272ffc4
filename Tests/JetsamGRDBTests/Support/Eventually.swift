#if GRDB
    import Testing

    /// Returns once the condition holds, which is for other threads to bring about.
    ///
    /// - Throws: Where they have not after two minutes of real time: a test that waits in vain fails instead of hanging.
    func eventually(
        _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: @Sendable () async -> Bool
    ) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while await !condition() {
            guard ContinuousClock.now < end else {
                Issue.record("waited in vain until \(what)", sourceLocation: sourceLocation)
                throw CancellationError()
            }
            await Task.yield()
        }
    }
#endif
