#if Hummingbird
    public import Hummingbird
    public import Jetsam

    /// Answers requests of a priority with 503 while memory is too short for them, or the process is about to leave.
    ///
    /// It asks what a background task of that priority would be asked, which takes a nanosecond. Put it before the routes of each
    /// priority:
    ///
    /// ```swift
    /// router.group("thumbnails").add(middleware: AdmissionMiddleware(priority: .low)).get(":name", use: thumbnail)
    /// ```
    ///
    /// The answer has `Retry-After`, and says in its body why. A route behind it may begin a background task of its own: where
    /// that is refused and the route throws the refusal, the client gets the same answer.
    public struct AdmissionMiddleware<Context: RequestContext>: RouterMiddleware {
        /// The importance of the requests behind it: `low` is refused at `warning` and while the process drains, `normal` at
        /// `critical`, `high` only when the process ends.
        public let priority: ResourcePriority
        private let delay: RetryDelay
        private let registry: BackgroundTaskRegistry

        /// A middleware for requests of one priority.
        ///
        /// - Parameters:
        ///   - priority: The importance of the requests.
        ///   - retryAfter: The seconds from which `Retry-After` is drawn, another number for each answer: clients that were refused
        ///     together come back spread over that time. 1…86,400; held to that.
        ///   - seed: The seed of the drawing: the same seed gives the same numbers. Nil, the default, takes one at random.
        ///   - registry: The background tasks that it asks. Give the registry of the manager where that is not the shared one.
        public init(
            priority: ResourcePriority, retryAfter: ClosedRange<Int> = 5...10, seed: UInt64? = nil,
            registry: BackgroundTaskRegistry = .shared
        ) {
            self.priority = priority
            self.registry = registry
            delay = RetryDelay(retryAfter, seed: seed)
        }

        // As Hummingbird says it, which does not run what is nonisolated in its caller's place.
        /// Lets the request pass, or answers it with 503.
        @concurrent public func handle(
            _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            if let refusal = registry.whyNot(priority: priority) { return answer(to: refusal) }
            do {
                return try await next(request, context)
            } catch let refusal as BackgroundTaskRefusal {
                // Between the question above and the route's own the answer may have changed.
                return answer(to: refusal)
            }
        }

        private func answer(to refusal: BackgroundTaskRefusal) -> Response {
            let seconds = delay.next()
            var response = Response.text(
                "\(refusal.reasonForRequests). Try again in \(seconds) s.\n", status: .serviceUnavailable)
            response.headers[.retryAfter] = "\(seconds)"
            return response
        }
    }

    extension BackgroundTaskRefusal {
        /// One sentence for a client, without its full stop.
        var reasonForRequests: String {
            let why =
                switch reason {
                case .pressure(let level): "at pressure \(level)"
                case .draining: "while the process drains"
                case .terminating: "because the process ends"
                case .full: "because too much work is under way"
                }
            let others = minimumPriority.map { "; those of \($0) and above are" } ?? ""
            return "Requests of priority \(priority) are not taken \(why)\(others)"
        }
    }
#endif
