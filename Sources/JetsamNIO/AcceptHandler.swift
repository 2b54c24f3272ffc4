#if NIO || Hummingbird
    internal import Jetsam
    internal import Logging
    internal import NIOCore

    /// The first handler of a server channel: lets it accept while the gate allows another connection, and puts the gate into each.
    final class AcceptHandler: ChannelDuplexHandler, RemovableChannelHandler {
        typealias InboundIn = any Channel
        typealias InboundOut = any Channel
        typealias OutboundIn = Never

        /// How long nothing is accepted where the process has no descriptor or no memory for another connection.
        static let backOff = TimeAmount.seconds(1)

        private let gate: ConnectionGate
        private var number: Int?
        /// A read that waits.
        private var isReadWanted = false
        /// The channel was told to read, and has accepted nothing since.
        private var isReading = false
        /// The channel read by itself before it was stopped.
        private var readsByItself = false
        private var backOffEnd: NIODeadline?
        /// The warning is not repeated before this: it may be so every second.
        private var nextWarning = NIODeadline.uptimeNanoseconds(0)
        private var nextPass: Scheduled<Void>?

        init(gate: ConnectionGate) {
            self.gate = gate
        }

        func handlerAdded(context: ChannelHandlerContext) {
            // More than one would be accepted before the gate is asked again.
            try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            number = gate.addServer(context.channel) { [loop = context.eventLoop] in
                loop.execute { me.value.handler.review(me.value.context) }
            }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            nextPass?.cancel()
            guard let number else { return }
            self.number = nil
            gate.removeServer(number)
        }

        func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
            // Nobody else would have the channel go on.
            readOn(context)
            context.leavePipeline(removalToken: removalToken)
        }

        func read(context: ChannelHandlerContext) {
            guard mayAccept(context) else {
                isReadWanted = true
                gate.reviewFirst()
                return
            }
            isReading = true
            context.read()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            isReading = false
            let child = unwrapInboundIn(data)
            let connection = gate.open(from: ObjectIdentifier(context.channel))
            child.closeFuture.whenComplete { [gate] _ in gate.close(connection) }
            let add: @Sendable () -> Void = { [gate] in
                // It fails where the connection is closed already.
                try? child.pipeline.syncOperations.addHandler(
                    ConnectionHandler(gate: gate, connection: connection), position: .first)
            }
            // Before what the application adds.
            if child.eventLoop.inEventLoop { add() } else { child.eventLoop.execute(add) }
            context.fireChannelRead(data)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if let error = error as? IOError, error.isForWantOfResources, backOffEnd == nil {
                backOffEnd = context.eventLoop.now + Self.backOff
                withdraw(context)
                reviewLater(in: Self.backOff, context)
                warn(of: error, context)
            }
            context.fireErrorCaught(error)
        }

        private func warn(of error: IOError, _ context: ChannelHandlerContext) {
            let now = context.eventLoop.now
            guard now >= nextWarning else { return }
            nextWarning = now + .minutes(1)
            gate.manager.logger.warning(
                "A server channel cannot accept, and tries again every second: \(error)",
                metadata: ["errno": "\(error.errnoCode)"])
        }

        private func mayAccept(_ context: ChannelHandlerContext) -> Bool {
            if let end = backOffEnd {
                guard context.eventLoop.now >= end else { return false }
                backOffEnd = nil
            }
            guard let number else { return true }
            return gate.mayAccept(number)
        }

        /// The level has changed, or a connection has closed.
        private func review(_ context: ChannelHandlerContext) {
            guard let number, context.channel.isActive else { return }
            if mayAccept(context) { readOn(context) } else { withdraw(context) }
            if gate.isFirst(number) { pass(context) }
        }

        private func reviewLater(in time: TimeAmount, _ context: ChannelHandlerContext) {
            let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: time) { me.value.handler.review(me.value.context) }
        }

        private func readOn(_ context: ChannelHandlerContext) {
            guard isReadWanted else { return }
            isReadWanted = false
            if readsByItself {
                readsByItself = false
                try? context.channel.syncOptions?.setOption(.autoRead, value: true)
            }
            isReading = true
            context.read()
        }

        /// Takes back a read that the channel has been told already: it would accept one more, or try to for ever.
        private func withdraw(_ context: ChannelHandlerContext) {
            guard isReading, let options = context.channel.syncOptions else { return }
            isReading = false
            isReadWanted = true
            readsByItself = (try? options.getOption(.autoRead)) ?? false
            // A channel stops only where the option changes.
            if !readsByItself { try? options.setOption(.autoRead, value: true) }
            try? options.setOption(.autoRead, value: false)
        }

        /// Closes idle connections, again and again while the level is critical or others wait to be accepted.
        private func pass(_ context: ChannelHandlerContext) {
            guard nextPass == nil, gate.closeIdle(now: context.eventLoop.now) else { return }
            let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            nextPass = context.eventLoop.scheduleTask(in: TimeAmount(gate.settings.passInterval)) {
                let (handler, context) = me.value
                handler.nextPass = nil
                handler.pass(context)
            }
        }
    }

    // It never leaves its event loop.
    @available(*, unavailable)
    extension AcceptHandler: Sendable {}
#endif
