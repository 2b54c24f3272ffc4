#if NIO || Hummingbird
    public import NIOCore

    /// What an application may tell a ``ConnectionGate`` about a connection: trigger it as an outbound user event.
    ///
    /// ```swift
    /// context.triggerUserOutboundEvent(ConnectionEvent.requestBegan, promise: nil)
    /// ```
    ///
    /// Without the gate in the pipeline the event fails its promise, and does nothing else.
    public enum ConnectionEvent: Sendable, Hashable {
        /// A request is under way: the connection is not idle, and its bytes count until the request has ended.
        case requestBegan
        /// A request has ended. With the last one all received bytes count as dealt with.
        case requestEnded
        /// So many received bytes are dealt with, such as written to a file. A server that receives and seldom answers says this.
        case consumed(bytes: Int)
    }

    extension Channel {
        /// Runs `body` as a request that is under way on this connection: the gate does not take it for idle meanwhile.
        ///
        /// - Throws: What `body` throws.
        public func withRequest<Value>(_ body: () async throws -> Value) async rethrows -> Value {
            // It has arrived when this returns. Where there is no gate it fails, and nothing needs to be told.
            try? await triggerUserOutboundEvent(ConnectionEvent.requestBegan).get()
            defer { triggerUserOutboundEvent(ConnectionEvent.requestEnded, promise: nil) }
            return try await body()
        }
    }
#endif
