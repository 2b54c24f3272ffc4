#if Hummingbird
    public import Hummingbird
    public import Jetsam
    internal import NIOCore

    extension RouterMethods {
        /// Adds the two routes that a supervisor or a balancer asks.
        ///
        /// `GET /live` answers 200 for as long as the server answers at all. `GET /ready` answers 200 while
        /// `ResourceManager.isReady` is true: from when the server listens until a shutdown begins. Otherwise it answers 503, and says
        /// in its body what the process does instead.
        ///
        /// Add them to the router itself, before any middleware that refuses requests or asks who the client is.
        /// - Parameters:
        ///   - manager: The manager whose life cycle answers.
        ///   - live: The path of the liveness probe.
        ///   - ready: The path of the readiness probe.
        /// - Returns: The router, to add more to it.
        @discardableResult
        public func addProbes(
            of manager: ResourceManager, live: RouterPath = "live", ready: RouterPath = "ready"
        ) -> Self {
            get(live) { _, _ in Response.text("ok\n", status: .ok) }
            get(ready) { _, _ in
                if manager.isReady { return Response.text("ready\n", status: .ok) }
                let why = manager.isShuttingDown ? "shuts down" : "is \(manager.processState)"
                return Response.text("not ready: the process \(why)\n", status: .serviceUnavailable)
            }
            return self
        }
    }

    extension Response {
        /// An answer in plain text.
        static func text(_ text: String, status: HTTPResponse.Status) -> Response {
            Response(
                status: status, headers: [.contentType: "text/plain; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
    }
#endif
