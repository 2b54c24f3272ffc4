internal import Hummingbird
internal import Jetsam
internal import NIOCore

/// Answers 503 for work that nobody misses as long as memory is short or the process is about to leave.
///
/// It asks the same question as an assertion of that priority would be asked, and so costs a request a few nanoseconds.
struct AdmissionMiddleware<Context: RequestContext>: RouterMiddleware {
    /// What the routes behind it are worth.
    var priority: ResourcePriority
    /// The seconds after which a client may try again.
    var retryAfter = 5
    var registry = BackgroundTaskRegistry.shared

    // As Hummingbird says it, which does not run what is nonisolated in its caller's place.
    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard registry.whyNot(priority: priority) == nil else { return refusal() }
        return try await next(request, context)
    }

    /// What a client gets that is to come back later.
    func refusal() -> Response {
        let why = registry.whyNot(priority: priority).map { "\($0)" } ?? "try again"
        return Response(
            status: .serviceUnavailable,
            headers: [.contentType: "text/plain; charset=utf-8", .retryAfter: "\(retryAfter)"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: why + "\n")))
    }
}
