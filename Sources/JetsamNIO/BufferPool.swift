#if NIO || Hummingbird
    public import Jetsam
    public import NIOCore

    /// Buffers that are used again instead of being allocated: a cache that gives memory back when memory is short.
    ///
    /// ```swift
    /// let pool = BufferPool(bufferBytes: 64 << 10, mostBytes: 16 << 20)
    /// var buffer = pool.take()
    /// buffer.writeString("…")
    /// context.writeAndFlush(NIOAny(buffer)).whenComplete { _ in pool.give(buffer) }
    /// ```
    ///
    /// Buffers are values: one that is never given back is freed like any other. Any thread may use a pool.
    public final class BufferPool: Sendable {
        private struct State {
            var buffers: [ByteBuffer] = []
            var bytes = 0
            /// What the manager allows; nil for no limit of its.
            var limit: Int?
        }

        private let allocator: ByteBufferAllocator
        private let bufferBytes: Int
        private let mostBytes: Int
        private let state = Lock(State())
        /// Nil for no longer than it takes to register.
        private let registration = Lock<CacheRegistration?>(nil)

        /// An empty pool, registered from now on for as long as it is kept.
        ///
        /// - Parameters:
        ///   - name: The name in logs, metrics and the ledger.
        ///   - bufferBytes: The capacity of a buffer that is made. 64 bytes…1 GiB; held to that.
        ///   - mostBytes: The most bytes that are kept for use. 0 or more; held to that.
        ///   - priority: Its band among the caches. Nothing is lost with a buffer: low by default.
        ///   - registry: Where it registers.
        ///   - allocator: Makes the buffers.
        public init(
            name: String = "buffers", bufferBytes: Int = 64 << 10, mostBytes: Int = 16 << 20,
            priority: ResourcePriority = .low, registry: CacheRegistry = .shared,
            allocator: ByteBufferAllocator = ByteBufferAllocator()
        ) {
            self.allocator = allocator
            self.bufferBytes = max(64, min(bufferBytes, 1 << 30))
            self.mostBytes = max(0, mostBytes)
            let registration = registry.register(name, priority: priority) { [weak self] bytes in
                self?.state.withLock { $0.limit = bytes }
            } release: { [weak self] request in
                self?.release(bytes: request.bytes) ?? 0
            }
            self.registration.withLock { $0 = registration }
        }

        /// The bytes of the buffers that are kept now.
        public var keptBytes: Int { state.withLock { $0.bytes } }

        /// Returns an empty buffer of at least the pool's capacity.
        public func take() -> ByteBuffer {
            while var buffer = takeKept() {
                // One that was given back while somebody else had its bytes may be free by now. If not, it is theirs.
                if buffer.emptyIfOwned() { return buffer }
            }
            return allocator.buffer(capacity: bufferBytes)
        }

        /// Keeps a buffer for use, or drops it: where it is smaller than the pool's or has grown to more than four times as much, and
        /// where the pool is full. Nobody's bytes are overwritten: one of which somebody else still has bytes is not used again.
        public func give(_ buffer: consuming ByteBuffer) {
            let capacity = buffer.capacity
            guard (bufferBytes...bufferBytes * 4).contains(capacity) else { return }
            let given = buffer
            state.withLock { state in
                guard capacity <= min(mostBytes, state.limit ?? .max) - state.bytes else { return }
                state.buffers.append(given)
                state.bytes += capacity
                report(state.bytes)
            }
        }

        private func takeKept() -> ByteBuffer? {
            state.withLock { state in
                guard let buffer = state.buffers.popLast() else { return nil }
                state.bytes -= buffer.capacity
                report(state.bytes)
                return buffer
            }
        }

        /// Drops buffers of at least so many bytes, and returns of how many. Those do not count of which somebody else has bytes.
        private func release(bytes: Int) -> Int {
            var given = 0
            while given < bytes, var buffer = takeKept() {
                if buffer.emptyIfOwned() { given += buffer.capacity }
            }
            return given
        }

        private func report(_ bytes: Int) {
            registration.withLock { $0 }?.update(bytes: bytes)
        }
    }

    extension ByteBuffer {
        /// Removes all bytes, or returns false where somebody else has them too.
        fileprivate mutating func emptyIfOwned() -> Bool {
            modifyIfUniquelyOwned { $0.clear() } != nil
        }
    }
#endif
