internal import Hummingbird
internal import Jetsam
internal import NIOCore

/// Everything that the server answers.
struct Routes: Sendable {
    var mode: Mode
    var responses: Responses
    var readiness: Readiness
    var manager: ResourceManager?

    func makeRouter() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.get("/") { _, _ in
            """
            A read-through cache of \(responses.origin.keys) values, mode \(mode.rawValue).
            /value/KEY   the value of a key from 0 to \(responses.origin.keys - 1)
            /metrics     counters and gauges for Prometheus
            /healthz     200 while the process works
            /readyz      200 while it takes requests, 503 before and after

            """
        }
        router.get("value/:key") { _, context in
            let text = context.parameters.get("key") ?? ""
            guard let key = Int(text), let value = responses.value(for: key) else {
                return Self.text("no such key: a key is a number from 0 to \(responses.origin.keys - 1)\n", .notFound)
            }
            return Response(status: .ok, headers: Self.binary, body: ResponseBody(byteBuffer: value))
        }
        router.get("metrics") { _, _ in
            let page = MetricsPage(
                counts: responses.counts, size: responses.cache.size, usage: .current(),
                status: manager?.status)
            return Self.text(page.text, .ok, headers: Self.prometheus)
        }
        router.get("healthz") { _, _ in Self.text("ok\n", .ok) }
        router.get("readyz") { _, _ in
            readiness.isReady ? Self.text("ready\n", .ok) : Self.text("not ready\n", .serviceUnavailable)
        }
        return router
    }

    private static let binary: HTTPFields = [.contentType: "application/octet-stream"]
    private static let plain: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
    private static let prometheus: HTTPFields = [.contentType: "text/plain; version=0.0.4; charset=utf-8"]

    private static func text(
        _ text: String, _ status: HTTPResponse.Status, headers: HTTPFields = plain
    ) -> Response {
        Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
