#if GRPC
    internal import GRPCCore

    /// One call's messages: what the service takes is counted.
    struct CountedMessages<Message: Sendable>: AsyncSequence, Sendable {
        typealias Element = Message
        typealias Failure = any Error

        let base: RPCAsyncSequence<Message, any Error>
        let interceptor: MemoryInterceptor
        let number: Int

        func makeAsyncIterator() -> Iterator {
            Iterator(base: base.makeAsyncIterator(), interceptor: interceptor, number: number)
        }

        struct Iterator: AsyncIteratorProtocol {
            var base: RPCAsyncSequence<Message, any Error>.AsyncIterator
            let interceptor: MemoryInterceptor
            let number: Int

            mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Message? {
                interceptor.ask(number)
                let message = try await base.next(isolation: actor)
                if message == nil { interceptor.endInput(number) } else { interceptor.take(number) }
                return message
            }
        }
    }
#endif
