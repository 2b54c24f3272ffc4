internal import GRPCCore
internal import Jetsam

/// Names of gRPC mean what they mean there, in a file that imports Jetsam too. Built, and never run.
struct BesideGRPC: ServerInterceptor {
    let manager: ResourceManager

    func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>, context: ServerContext,
        next:
            @Sendable (StreamingServerRequest<Input>, ServerContext) async throws
            -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        guard manager.level < .critical else {
            throw RPCError(code: .resourceExhausted, message: "memory is short", metadata: Metadata())
        }
        return try await next(request, context)
    }

    static func names() {
        let status = Status(code: .unavailable, message: "draining")
        let method = MethodDescriptor(fullyQualifiedService: "links.Links", method: "Find")
        var options = CallOptions.defaults
        options.timeout = .seconds(1)
        print(status, method, options, ServiceConfig(), PressureLevel.warning, PressureRule.headroom)
    }
}
