package import Testing

/// Returns once the condition holds, which is for other threads to bring about.
///
/// - Throws: Where they have not after five minutes of real time, which is long enough beside tests that compute for minutes:
///   a test that waits in vain fails instead of hanging.
package func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: @Sendable () async -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while await !condition() {
        guard ContinuousClock.now < end else {
            Issue.record("waited in vain until \(what)", sourceLocation: sourceLocation)
            throw CancellationError()
        }
        await Task.yield()
    }
}
