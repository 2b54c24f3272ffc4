#if GRPC
    internal import GRPCCore
    internal import Jetsam
    internal import NIOCore
    internal import NIOHPACK
    internal import NIOHTTP2

    /// The first handler of an HTTP/2 stream: lets a message in when there is room for all of it, and reads no further until
    /// then.
    ///
    /// The stream's window bounds the bytes that the client sends meanwhile. The bytes that have come are copied, as a slice
    /// would keep the whole of what was read from the socket.
    final class CallStreamHandler: ChannelDuplexHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias InboundOut = HTTP2Frame.FramePayload
        typealias OutboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        /// What waits to be let in.
        private struct Waiting {
            var message: MessageFrames.Beginning
            var bytes: ByteBuffer
            var endStream: Bool
            var timer: Scheduled<Void>
        }

        /// The last read that was asked for.
        private enum Reading {
            /// Something has come since, or none was asked for.
            case over
            /// The channel was asked to, and nothing has come since.
            case underWay
            /// It is held until the message that waits is let in.
            case held
        }

        private enum Response {
            case none
            case begun
            /// The status has been written, or there is nobody to write it to. What the client still sends is dropped.
            case complete
        }

        private let interceptor: MemoryInterceptor
        private let mostMessageBytes: Int
        private var number: Int?
        private var frames = MessageFrames()
        private var waiting: Waiting?
        private var reading = Reading.over
        private var lastReceived = NIODeadline.now()
        private var stallTimer: Scheduled<Void>?
        private var hasInputEnded = false
        private var response = Response.none

        init(interceptor: MemoryInterceptor, mostMessageBytes: Int) {
            self.interceptor = interceptor
            self.mostMessageBytes = mostMessageBytes
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .headers(var payload) where number == nil:
                let number = open(payload.headers, context)
                self.number = number
                hasInputEnded = payload.endStream
                payload.headers.replaceOrAdd(name: MemoryInterceptor.callKey, value: "\(number)")
                context.fireChannelRead(wrapInboundOut(.headers(payload)))
            case .data(let payload):
                if reading == .underWay { reading = .over }
                lastReceived = context.eventLoop.now
                hasInputEnded = hasInputEnded || payload.endStream
                guard response != .complete, case .byteBuffer(let bytes) = payload.data else { return }
                if waiting == nil {
                    receive(bytes, endStream: payload.endStream, context)
                } else {
                    waiting?.bytes.writeImmutableBuffer(bytes)
                    waiting?.endStream = payload.endStream
                }
            case let payload:
                context.fireChannelRead(wrapInboundOut(payload))
            }
        }

        func read(context: ChannelHandlerContext) {
            guard waiting == nil else {
                reading = .held
                return
            }
            if reading != .underWay { lastReceived = context.eventLoop.now }
            reading = .underWay
            context.read()
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            // The call was refused, and the service does not know it yet.
            guard response != .complete else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            response = .begun
            guard case .headers(let payload) = unwrapOutboundIn(data), payload.endStream else {
                context.write(data, promise: promise)
                return
            }
            let stopsClient = !hasInputEnded && payload.headers.first(name: "grpc-status") != "0"
            finish()
            context.write(data, promise: promise)
            if stopsClient { context.write(wrapOutboundOut(.rstStream(.noError)), promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            finish()
            context.fireChannelInactive()
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            finish()
        }

        private func open(_ headers: HPACKHeaders, _ context: ChannelHandlerContext) -> Int {
            let path = headers.first(name: ":path") ?? ""
            let parts = path.dropFirst().split(separator: "/", maxSplits: 1).map(String.init)
            let method = MethodDescriptor(
                fullyQualifiedService: parts.first ?? "", method: parts.dropFirst().first ?? "")
            let loop = context.eventLoop
            let me = NIOLoopBound((handler: self, context: context), eventLoop: loop)
            return interceptor.open(method) {
                loop.execute { me.value.handler.goOn(me.value.context) }
            }
        }

        private func receive(_ bytes: ByteBuffer, endStream: Bool, _ context: ChannelHandlerContext) {
            var rest = bytes
            while let message = frames.next(in: &rest) {
                guard message.length <= mostMessageBytes else {
                    refuse(
                        RPCError(
                            code: .resourceExhausted,
                            message:
                                "a message of \(message.length) bytes came, and at most \(mostMessageBytes) are allowed"
                        ),
                        context)
                    return
                }
                guard mayBegin(message) else {
                    pass(bytes.readableBytes - rest.readableBytes, of: bytes, endStream: false, context)
                    wait(message, with: rest, endStream: endStream, context)
                    return
                }
                frames.begin(message)
            }
            if frames.isInside, stallTimer == nil { watchForStall(interceptor.settings.stallLimit, context) }
            pass(bytes.readableBytes, of: bytes, endStream: endStream, context)
        }

        private func mayBegin(_ message: MessageFrames.Beginning) -> Bool {
            guard let number else { return true }
            // Nobody knows what a compressed message becomes before it is read; the transport reads no more than this.
            return interceptor.request(message.isCompressed ? mostMessageBytes : message.length, for: number)
        }

        private func pass(_ count: Int, of bytes: ByteBuffer, endStream: Bool, _ context: ChannelHandlerContext) {
            guard count > 0 || endStream, let part = bytes.getSlice(at: bytes.readerIndex, length: count) else {
                return
            }
            context.fireChannelRead(wrapInboundOut(.data(.init(data: .byteBuffer(part), endStream: endStream))))
        }

        private func wait(
            _ message: MessageFrames.Beginning, with bytes: ByteBuffer, endStream: Bool,
            _ context: ChannelHandlerContext
        ) {
            // What was passed on may have ended the call.
            guard response != .complete else { return }
            var copy = context.channel.allocator.buffer(capacity: bytes.readableBytes)
            copy.writeImmutableBuffer(bytes)
            let limit = interceptor.settings.waitLimit
            let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            let timer = context.eventLoop.scheduleTask(in: TimeAmount(limit)) {
                let (handler, context) = me.value
                guard handler.waiting != nil else { return }
                handler.refuse(handler.interceptor.refusalAfterWaiting(bytes: message.length), context)
            }
            waiting = Waiting(message: message, bytes: copy, endStream: endStream, timer: timer)
        }

        /// There is room for the message that waits.
        private func goOn(_ context: ChannelHandlerContext) {
            guard let waited = waiting else { return }
            waited.timer.cancel()
            waiting = nil
            frames.begin(waited.message)
            receive(waited.bytes, endStream: waited.endStream, context)
            context.fireChannelReadComplete()
            if waiting == nil, reading == .held { read(context: context) }
        }

        /// Refuses the call where nothing comes of its message for so long, although the channel reads.
        private func watchForStall(_ left: Duration, _ context: ChannelHandlerContext) {
            let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            stallTimer = context.eventLoop.scheduleTask(in: TimeAmount(left)) {
                let (handler, context) = me.value
                handler.stallTimer = nil
                guard handler.response != .complete, handler.frames.isInside else { return }
                let limit = handler.interceptor.settings.stallLimit
                let silence =
                    handler.reading == .underWay ? Duration(context.eventLoop.now - handler.lastReceived) : .zero
                guard silence >= limit else { return handler.watchForStall(limit - silence, context) }
                let message = "nothing came of a message for \(limit)"
                handler.refuse(RPCError(code: .deadlineExceeded, message: message), context)
            }
        }

        /// Answers in the service's place, and stops the client.
        private func refuse(_ error: RPCError, _ context: ChannelHandlerContext) {
            guard response != .complete else { return }
            var headers = HPACKHeaders()
            if response == .none {
                headers.add(name: ":status", value: "200")
                headers.add(name: "content-type", value: "application/grpc")
            }
            headers.add(name: "grpc-status", value: "\(error.code.rawValue)")
            headers.add(name: "grpc-message", value: error.message)
            for (key, value) in error.metadata { headers.add(name: key, value: value.encoded()) }
            finish()
            interceptor.countRefusal()
            context.write(wrapOutboundOut(.headers(.init(headers: headers, endStream: true))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: nil)
        }

        private func finish() {
            response = .complete
            waiting?.timer.cancel()
            waiting = nil
            stallTimer?.cancel()
            stallTimer = nil
            if let number { interceptor.close(number) }
        }
    }

    // It never leaves its event loop.
    @available(*, unavailable)
    extension CallStreamHandler: Sendable {}
#endif
