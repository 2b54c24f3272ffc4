#if NIO || Hummingbird
    internal import Jetsam
    internal import NIOCore

    extension ConnectionHandler {
        func obey(_ command: GatedConnection.Command, _ context: ChannelHandlerContext) {
            guard stage != .gone, stage != .closing else { return }
            switch command {
            case .readOn:
                if waiting != nil { read(context: context) }
            case .closeIfIdle(let since):
                if !account.isBusy, lastActive <= since { close(.idle, context) }
            case .quiesce:
                guard stage == .open else { return }
                stage = .quiescing
                context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
                quiesce(context)
            case .close:
                context.close(promise: nil)
            }
        }

        /// Closes the connection if nothing is under way. An application that says nothing of its requests may be at one until the
        /// connection has been quiet for a while.
        func quiesce(_ context: ChannelHandlerContext) {
            guard stage == .quiescing, !account.isBusy else { return }
            let end = lastActive + TimeAmount(settings.idleTime)
            if account.tellsRequests || context.eventLoop.now >= end {
                context.close(promise: nil)
            } else {
                watch(context)
            }
        }

        func close(_ reason: ClosingReason, _ context: ChannelHandlerContext) {
            gate.noteClosing(connection, reason)
            // Into the middle of an answer nothing can be said.
            let farewell = account.unwritten == 0 ? gate.farewell?(reason) : nil
            context.fireUserInboundEventTriggered(reason)
            guard stage != .gone else { return }
            stage = .closing
            guard let farewell else {
                context.close(promise: nil)
                return
            }
            // Closed at once, with bytes of the client's unread, the connection would be reset and the farewell lost with it.
            let sent = context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.assumeIsolated().whenComplete { _ in context.close(mode: .output, promise: nil) }
            context.writeAndFlush(wrapOutboundOut(.byteBuffer(farewell)), promise: sent)
            context.read()
            let me = NIOLoopBound(context, eventLoop: context.eventLoop)
            let scheduled = context.eventLoop.scheduleTask(in: Self.lingering) { me.value.close(promise: nil) }
            timer = (scheduled, .distantFuture)
        }

        /// How long a client has to read a farewell.
        static let lingering = TimeAmount.seconds(1)
    }
#endif
