#if GRPC
    import GRPCCore
    import Synchronization

    /// Messages as they are on the wire.
    struct RawBytes: MessageSerializer, MessageDeserializer {
        func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }

        func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
            unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        }
    }

    extension MethodDescriptor {
        /// Answers with the number of bytes of its message.
        static let count = MethodDescriptor(fullyQualifiedService: "test.Counting", method: "Count")
        /// The same, once the test lets it.
        static let hold = MethodDescriptor(fullyQualifiedService: "test.Counting", method: "Hold")
        /// Answers each message with its number of bytes.
        static let countEach = MethodDescriptor(fullyQualifiedService: "test.Counting", method: "CountEach")
        /// Answers with the names of the metadata that the service sees.
        static let metadata = MethodDescriptor(fullyQualifiedService: "test.Counting", method: "Metadata")
    }

    /// A service without generated code.
    final class Counting: RegistrableRPCService {
        private struct Holding {
            var isOpen = false
            var held: [CheckedContinuation<Void, Never>] = []
        }

        private let holding = Mutex(Holding())

        var heldCalls: Int { holding.withLock { $0.held.count } }

        func letGo() {
            let held = holding.withLock { holding in
                holding.isOpen = true
                defer { holding.held = [] }
                return holding.held
            }
            for call in held { call.resume() }
        }

        func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
            register(.count, with: &router) { request in "\(request.message.count)" }
            register(.hold, with: &router) { [self] request in
                await withCheckedContinuation { continuation in
                    let isOpen = holding.withLock { holding in
                        if !holding.isOpen { holding.held.append(continuation) }
                        return holding.isOpen
                    }
                    if isOpen { continuation.resume() }
                }
                return "\(request.message.count)"
            }
            register(.metadata, with: &router) { request in request.metadata.map(\.key).joined(separator: " ") }
            router.registerHandler(forMethod: .countEach, deserializer: RawBytes(), serializer: RawBytes()) {
                request, _ in
                StreamingServerResponse { writer in
                    for try await message in request.messages { try await writer.write(Array("\(message.count)".utf8)) }
                    return [:]
                }
            }
        }

        private func register<Transport: ServerTransport>(
            _ method: MethodDescriptor, with router: inout RPCRouter<Transport>,
            _ answer: @escaping @Sendable (ServerRequest<[UInt8]>) async throws -> String
        ) {
            router.registerHandler(forMethod: method, deserializer: RawBytes(), serializer: RawBytes()) { request, _ in
                let answer = try await answer(ServerRequest(stream: request))
                return StreamingServerResponse(single: ServerResponse(message: Array(answer.utf8)))
            }
        }
    }
#endif
