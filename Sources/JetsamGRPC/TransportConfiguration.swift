#if GRPC
    public import GRPCNIOTransportHTTP2Posix
    internal import NIOCore

    extension HTTP2ServerTransport.Posix.Config {
        /// A transport's configuration in which this interceptor also bounds what clients send.
        ///
        /// It limits the streams of a connection, and lowers a window of more than 64 KiB. It adds a handler to each stream, in
        /// the callback that the transport has for debugging. An existing callback still runs, and runs first.
        ///
        /// - Parameters:
        ///   - interceptor: Give the same one to the server as its interceptor.
        ///   - configuration: Other settings of the transport. Of two bounds the lower one holds.
        public static func bounded(by interceptor: MemoryInterceptor, _ configuration: Self = .defaults) -> Self {
            var configuration = configuration
            let streams = interceptor.settings.streamsPerConnection
            configuration.http2.maxConcurrentStreams = min(configuration.http2.maxConcurrentStreams ?? streams, streams)
            // HTTP/2's own first window: what a stream can be sent that is not read.
            configuration.http2.targetWindowSize = min(configuration.http2.targetWindowSize, 1 << 16 - 1)
            let mostMessageBytes = configuration.rpc.maxRequestPayloadSize
            let others = configuration.channelDebuggingCallbacks.onAcceptHTTP2Stream
            configuration.channelDebuggingCallbacks.onAcceptHTTP2Stream = { channel in
                let first = others?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
                return first.flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(
                        CallStreamHandler(interceptor: interceptor, mostMessageBytes: mostMessageBytes),
                        position: .first)
                }
            }
            return configuration
        }
    }
#endif
