#if NIO || Hummingbird
    internal import Jetsam
    internal import NIOCore

    /// The first handler of a connection: counts what is held for it, reads on when there is room, and closes it where it can never
    /// proceed or is idle at `critical`.
    final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData

        /// What a read waits for.
        enum Obstacle {
            /// The application has as much as it may, and has to deal with some of it.
            case application
            /// The client has to read what was written to it.
            case client
            /// Others have to make room.
            case room
        }

        enum Stage {
            case open
            /// It is closed when nothing is under way any more.
            case quiescing
            /// The gate has closed it. What still comes is dropped.
            case closing
            /// The handler has left the pipeline.
            case gone
        }

        let gate: ConnectionGate
        let connection: GatedConnection
        var account = ConnectionAccount()
        var stage = Stage.open
        /// A read that waits, for what and since when.
        var waiting: (obstacle: Obstacle, since: NIODeadline)?
        var lastActive = NIODeadline.now()
        /// When received bytes were dealt with last, and when written ones got away last.
        var lastDealt = NIODeadline.now()
        var lastTaken = NIODeadline.now()
        var timer: (scheduled: Scheduled<Void>, at: NIODeadline)?

        init(gate: ConnectionGate, connection: GatedConnection) {
            self.gate = gate
            self.connection = connection
        }

        var settings: ConnectionGate.Settings { gate.settings }

        // MARK: In the pipeline

        func handlerAdded(context: ChannelHandlerContext) {
            let now = context.eventLoop.now
            (lastActive, lastDealt, lastTaken) = (now, now, now)
            // More would come before the gate is asked again. An option of the bootstrap's takes its place.
            try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            connection.attach { [loop = context.eventLoop] command in
                loop.execute { me.value.handler.obey(command, me.value.context) }
            }
            note()
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            stage = .gone
            timer?.scheduled.cancel()
            timer = nil
            connection.detach()
            gate.release(received: account.held, unwritten: account.unwritten, for: connection.number)
        }

        func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
            // Nobody else would have the channel go on.
            if waiting != nil { context.read() }
            waiting = nil
            context.leavePipeline(removalToken: removalToken)
        }

        func read(context: ChannelHandlerContext) {
            guard let obstacle else {
                if waiting != nil {
                    // Until now nothing could come of it.
                    lastActive = context.eventLoop.now
                    waiting = nil
                    watch(context)
                }
                context.read()
                return
            }
            if waiting?.obstacle != obstacle { waiting = (obstacle, context.eventLoop.now) }
            watch(context)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard stage != .closing else { return }
            let bytes = unwrapInboundIn(data).readableBytes
            account.receive(bytes)
            gate.receive(bytes, for: connection.number)
            lastActive = context.eventLoop.now
            if timer == nil { watch(context) }
            note()
            context.fireChannelRead(data)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            // What comes after a farewell is thrown away, until the client has read that and closes.
            if stage == .closing { context.read() }
            context.fireChannelReadComplete()
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard stage != .closing else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            // A region of a file takes no memory.
            let bytes = if case .byteBuffer(let buffer) = unwrapOutboundIn(data) { buffer.readableBytes } else { 0 }
            if account.unwritten == 0 { lastTaken = context.eventLoop.now }
            account.beginWrite(bytes)
            gate.write(bytes, for: connection.number)
            let mark = account.received
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { [self] _ in
                guard stage != .gone else { return }
                lastTaken = context.eventLoop.now
                settle(received: account.endWrite(bytes, mark: mark), unwritten: bytes, context)
            }
            if timer == nil { watch(context) }
            note()
            context.write(data, promise: written)
        }

        func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
            guard let event = event as? ConnectionEvent else {
                context.triggerUserOutboundEvent(event, promise: promise)
                return
            }
            switch event {
            case .requestBegan: account.beginRequest()
            case .requestEnded: settle(received: account.endRequest(), context)
            case .consumed(let bytes): settle(received: account.consume(bytes), context)
            }
            note()
            promise?.succeed()
        }

        // MARK: What is held

        /// What a read has to wait for; nil where it need not.
        private var obstacle: Obstacle? {
            guard stage != .closing, stage != .gone else { return nil }
            if account.unwritten >= settings.connectionBytes { return .client }
            if account.held >= settings.connectionBytes { return .application }
            return account.held == 0 || gate.mayReadOn(connection.number) ? nil : .room
        }

        /// Bytes are dealt with, or the client has taken some.
        private func settle(received: Int, unwritten: Int = 0, _ context: ChannelHandlerContext) {
            let now = context.eventLoop.now
            lastActive = now
            if received > 0 { lastDealt = now }
            if received > 0 || unwritten > 0 {
                gate.release(received: received, unwritten: unwritten, for: connection.number)
            }
            note()
            if waiting != nil, stage != .closing { read(context: context) }
            if stage == .quiescing { quiesce(context) }
        }

        private func note() {
            connection.note(activeAt: lastActive, isBusy: account.isBusy)
        }
    }

    // It never leaves its event loop.
    @available(*, unavailable)
    extension ConnectionHandler: Sendable {}
#endif
