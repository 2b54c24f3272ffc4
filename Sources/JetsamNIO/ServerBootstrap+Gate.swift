#if NIO || Hummingbird
    public import NIOCore
    public import NIOPosix

    extension ServerBootstrap {
        /// Has the gate decide when connections are accepted, and bound what each holds.
        ///
        /// It takes the place of the server channel's initializer. One that is set after it takes its place, and nothing is
        /// protected then: ``NIOService`` says so. Where you need an initializer of your own, pass it here.
        ///
        /// - Parameters:
        ///   - gate: One gate may serve several bootstraps, which then share its bounds.
        ///   - initializer: Called with the server channel on its event loop, after the gate has been put in.
        public func protected(
            by gate: ConnectionGate,
            serverChannelInitializer initializer: (@Sendable (any Channel) -> EventLoopFuture<Void>)? = nil
        ) -> Self {
            serverChannelInitializer { channel in
                let gated = gate.protect(channel)
                guard let initializer else { return gated }
                return gated.flatMap { initializer(channel) }
            }
        }
    }
#endif
