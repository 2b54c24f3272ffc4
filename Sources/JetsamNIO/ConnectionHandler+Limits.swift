#if NIO || Hummingbird
    internal import Jetsam
    internal import NIOCore

    extension ConnectionHandler {
        /// When it has to be closed if nothing changes, and why.
        private var limits: [(at: NIODeadline, reason: ClosingReason)] {
            let stall = TimeAmount(settings.stallLimit)
            var limits: [(NIODeadline, ClosingReason)] = []
            switch waiting?.obstacle {
            case .room: limits.append(((waiting?.since ?? lastActive) + TimeAmount(settings.waitLimit), .noRoom))
            case .application:
                limits.append((max(waiting?.since ?? lastActive, lastDealt, lastTaken) + stall, .tooMuch))
            case .client, nil: break
            }
            if account.unwritten > 0 { limits.append((lastTaken + stall, .notReading)) }
            // One that is not read is kept silent by the gate.
            if account.held > 0, account.requests == 0, waiting == nil {
                limits.append((lastActive + stall, .silent))
            }
            return limits
        }

        private func isDue(_ reason: ClosingReason) -> Bool {
            switch reason {
            case .notReading: account.unwritten >= settings.connectionBytes || gate.isShort
            case .silent: gate.isShort || (gate.isFull && !gate.manager.isDryRun)
            default: true
            }
        }

        /// Has the limits looked at when the first of them is reached.
        func watch(_ context: ChannelHandlerContext) {
            var instants = limits.map(\.at)
            if stage == .quiescing, !account.isBusy { instants.append(lastActive + TimeAmount(settings.idleTime)) }
            guard stage == .open || stage == .quiescing, let first = instants.min() else { return }
            let now = context.eventLoop.now
            // One that is past, and not to be closed yet, is looked at again.
            let instant = first > now ? first : now + TimeAmount(settings.stallLimit / 4)
            if let timer {
                guard instant < timer.at else { return }
                timer.scheduled.cancel()
            }
            let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            let scheduled = context.eventLoop.scheduleTask(deadline: instant) {
                let (handler, context) = me.value
                handler.timer = nil
                handler.look(context)
            }
            timer = (scheduled, instant)
        }

        private func look(_ context: ChannelHandlerContext) {
            guard stage == .open || stage == .quiescing else { return }
            noteProgress(context)
            let now = context.eventLoop.now
            if let limit = limits.first(where: { $0.at <= now && isDue($0.reason) }) {
                close(limit.reason, context)
                return
            }
            quiesce(context)
            watch(context)
        }

        /// A client may take a long time for one large write, and take some of it all the time.
        private func noteProgress(_ context: ChannelHandlerContext) {
            guard account.unwritten > 0, let options = context.channel.syncOptions,
                let left = try? options.getOption(.bufferedWritableBytes)
            else { return }
            if account.hasTakenSome(left: left) { lastTaken = context.eventLoop.now }
        }
    }
#endif
