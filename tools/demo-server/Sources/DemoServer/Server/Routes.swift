internal import Hummingbird
internal import Jetsam
internal import JetsamHummingbird
internal import JetsamPrometheus
internal import NIOCore

/// Everything that the server answers.
struct Routes: Sendable {
    var mode: Mode
    var responses: Responses
    /// Whether new requests are wanted.
    var isReady: @Sendable () -> Bool
    var manager: ResourceManager?
    var metrics: PrometheusMetrics

    func makeRouter() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.get("/") { _, _ in
            """
            A read-through cache of \(responses.origin.keys) values, mode \(mode.rawValue).
            /value/KEY      the value of a key from 0 to \(responses.origin.keys - 1)
            /prefetch/KEY   the same, of low priority: 503 as soon as memory is short or the server leaves
            /job/MS         begins work of so many milliseconds that holds a background task, and answers at once
            /wait/MS        does such work before it answers
            /poll/MS        answers after so many milliseconds, and holds no background task
            /metrics        counters and gauges for Prometheus
            /healthz        200 while the process works
            /readyz         200 while it takes requests, 503 before and after

            """
        }
        router.get("value/:key") { _, context in value(context) }
        router.group("prefetch").add(middleware: AdmissionMiddleware(priority: .low)).get(":key") { _, context in
            value(context)
        }
        router.group("job").add(middleware: AdmissionMiddleware(priority: .normal))
            .get(":milliseconds") { _, context in try work(context) }
        router.group("wait").add(middleware: AdmissionMiddleware(priority: .normal))
            .get(":milliseconds") { _, context in try await wait(context) }
        router.get("poll/:milliseconds") { _, context in await poll(context) }
        router.get("metrics") { _, _ in Self.text(metrics.text, .ok, headers: Self.prometheus) }
        if let manager {
            router.addProbes(of: manager, live: "healthz", ready: "readyz")
        } else {
            router.get("healthz") { _, _ in Self.text("ok\n", .ok) }
            router.get("readyz") { _, _ in
                isReady() ? Self.text("ready\n", .ok) : Self.text("not ready\n", .serviceUnavailable)
            }
        }
        return router
    }

    private func value(_ context: BasicRequestContext) -> Response {
        let text = context.parameters.get("key") ?? ""
        guard let key = Int(text), let value = responses.value(for: key) else {
            return Self.text("no such key: a key is a number from 0 to \(responses.origin.keys - 1)\n", .notFound)
        }
        return Response(status: .ok, headers: Self.binary, body: ResponseBody(byteBuffer: value))
    }

    /// Begins work that outlives its request: the background task keeps the process for it.
    private func work(_ context: BasicRequestContext) throws -> Response {
        guard let duration = Self.duration(context) else { return Self.noDuration }
        try BackgroundTaskRegistry.shared.start("demo.work") { try? await Task.sleep(for: duration) }
        return Self.text("begun\n", .accepted)
    }

    /// Does work that its client waits for; it is cancelled when its time has run out.
    private func wait(_ context: BasicRequestContext) async throws -> Response {
        guard let duration = Self.duration(context) else { return Self.noDuration }
        do {
            try await withBackgroundTask("demo.wait") { try await Task.sleep(for: duration) }
            return Self.text("done\n", .ok)
        } catch is CancellationError {
            return Self.text("cut off: the time has run out\n", .serviceUnavailable)
        }
    }

    /// Stands for a long poll: being told to shut down does not end it, only being cancelled does.
    private func poll(_ context: BasicRequestContext) async -> Response {
        guard let duration = Self.duration(context) else { return Self.noDuration }
        try? await Task.sleep(for: duration)
        return Self.text("done\n", .ok)
    }

    private static let noDuration = text("a job takes 0 to 60000 milliseconds\n", .notFound)

    private static func duration(_ context: BasicRequestContext) -> Duration? {
        let milliseconds = context.parameters.get("milliseconds").flatMap(Int.init)
        return milliseconds.flatMap { 0...60_000 ~= $0 ? .milliseconds($0) : nil }
    }

    private static let binary: HTTPFields = [.contentType: "application/octet-stream"]
    private static let plain: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
    private static let prometheus: HTTPFields = [.contentType: PrometheusMetrics.contentType]

    private static func text(
        _ text: String, _ status: HTTPResponse.Status, headers: HTTPFields = plain
    ) -> Response {
        Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
