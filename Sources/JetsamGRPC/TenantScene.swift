#if GRPC
    public import GRPCCore
    public import Jetsam

    extension SceneManager {
        /// The scene of the tenant that a call names in its metadata, serving: it is activated, or connected first.
        ///
        /// ```swift
        /// let scenes = manager.scenes
        /// let scene = try await scenes.scene(forCallWith: request.metadata, expectedBytes: 1 << 20) { Tenant($0, in: tenants) }
        /// ```
        ///
        /// What a client writes into metadata is not proven. Where tenants must not see each other, check the name beforehand.
        ///
        /// - Parameters:
        ///   - metadata: The metadata of the request.
        ///   - key: The name of the entry that has the tenant's name. It must be there once, with 1 to 128 bytes of text.
        ///   - expectedBytes: The bytes that the scene will take outside of its caches, if it must be connected.
        ///   - priority: Its priority, if it must be connected.
        ///   - executor: The executor of its callbacks, if it must be connected; nil for the global concurrent executor.
        ///   - observer: Makes its observer, if it must be connected.
        /// - Throws: An error to answer the call with: `INVALID_ARGUMENT` where no tenant is named; `UNAVAILABLE` where the
        ///   process is in no state to serve, or the stored state cannot be read; `RESOURCE_EXHAUSTED` with retry information
        ///   where there is no room; `FAILED_PRECONDITION` otherwise.
        public func scene(
            forCallWith metadata: Metadata, key: String = "tenant", expectedBytes: Int = 0,
            priority: ResourcePriority = .normal, on executor: (any TaskExecutor)? = nil,
            observer: (SceneIdentifier) -> any SceneObserver
        ) async throws(RPCError) -> ServerScene {
            let names = Array(metadata[stringValues: key])
            guard names.count == 1, let identifier = SceneIdentifier(names[0]) else {
                let found = names.count == 1 ? "\(names[0].utf8.count) bytes" : "\(names.count) entries"
                throw RPCError(
                    code: .invalidArgument,
                    message: "the metadata '\(key)' names the tenant in 1 to 128 bytes, once; there are \(found)")
            }
            do throws(SceneRefusal) {
                return try await scene(for: identifier, expectedBytes: expectedBytes, priority: priority, on: executor)
                {
                    observer(identifier)
                }
            } catch {
                throw RPCError(error)
            }
        }
    }

    extension RPCError {
        /// A scene's refusal, as the answer to a call.
        init(_ refusal: SceneRefusal) {
            let message = "\(refusal)"
            if refusal.isForWantOfRoom {
                self.init(
                    code: .resourceExhausted, message: message,
                    metadata: RetryInfo.metadata(code: .resourceExhausted, message: message, delay: .seconds(1)))
            } else if refusal.isForProcessState || refusal.storeError != nil {
                self.init(code: .unavailable, message: message)
            } else {
                self.init(code: .failedPrecondition, message: message)
            }
        }
    }
#endif
