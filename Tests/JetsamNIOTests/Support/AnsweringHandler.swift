#if NIO || Hummingbird
    import Jetsam
    import JetsamNIO
    import NIOCore

    /// Where answers that a test holds back wait.
    final class Answers: Sendable {
        private struct State {
            var isHolding = false
            var held: [@Sendable () -> Void] = []
            var questions = 0
        }

        private let state = Lock(State())

        var heldCount: Int { state.withLock { $0.held.count } }
        /// Questions that have come.
        var questions: Int { state.withLock { $0.questions } }

        func hold() { state.withLock { $0.isHolding = true } }

        func letGo() {
            let held = state.withLock { state in
                state.isHolding = false
                defer { state.held = [] }
                return state.held
            }
            for answer in held { answer() }
        }

        func answer(_ body: @escaping @Sendable () -> Void) {
            let isHolding = state.withLock { state in
                state.questions += 1
                if state.isHolding { state.held.append(body) }
                return state.isHolding
            }
            if !isHolding { body() }
        }
    }

    /// Answers each line with its number of bytes. `request …` tells the gate of a request, and `flood N` answers with N bytes.
    final class AnsweringHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answers: Answers
        private var line = ByteBuffer()
        private var unanswered = 0
        private var hasInputEnded = false

        init(answers: Answers) {
            self.answers = answers
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            line.writeImmutableBuffer(unwrapInboundIn(data))
            while let end = line.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
                guard let bytes = line.readSlice(length: end + 1 - line.readerIndex) else { return }
                answer(bytes, context)
            }
        }

        private func answer(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
            let tells = bytes.readableBytesView.starts(with: "request".utf8)
            if tells { context.triggerUserOutboundEvent(ConnectionEvent.requestBegan, promise: nil) }
            var answer = ByteBuffer(string: "\(bytes.readableBytes - 1)\n")
            if bytes.readableBytesView.starts(with: "flood ".utf8) {
                let count = Int(String(buffer: bytes).dropFirst(6).dropLast()) ?? 0
                answer = ByteBuffer(repeating: UInt8(ascii: "f"), count: count)
            }
            unanswered += 1
            let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            answers.answer { [answer, loop = context.eventLoop] in
                loop.execute {
                    let (handler, context) = me.value
                    let written = context.writeAndFlush(handler.wrapOutboundOut(answer))
                    if tells { context.triggerUserOutboundEvent(ConnectionEvent.requestEnded, promise: nil) }
                    handler.unanswered -= 1
                    written.assumeIsolated().whenComplete { _ in handler.endIfDone(context) }
                }
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent {
                hasInputEnded = true
                endIfDone(context)
            }
            context.fireUserInboundEventTriggered(event)
        }

        /// A client that has closed its side gets its answers, and is not kept after them.
        private func endIfDone(_ context: ChannelHandlerContext) {
            if hasInputEnded, unanswered == 0 { context.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    @available(*, unavailable)
    extension AnsweringHandler: Sendable {}
#endif
