#if NIO || Hummingbird
    import Jetsam
    import JetsamNIO
    import JetsamTesting
    import Logging
    import NIOCore
    import TestSupport
    import Testing

    struct BufferPoolTests {
        private let registry = CacheRegistry()

        private func pool(mostBytes: Int = 1 << 20) -> BufferPool {
            BufferPool(bufferBytes: 64 << 10, mostBytes: mostBytes, registry: registry)
        }

        private func address(_ buffer: ByteBuffer) -> UInt {
            unsafe buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }

        @Test("A buffer that was given back is used again, empty")
        func reuse() {
            let pool = pool()
            var buffer = pool.take()
            buffer.writeString("secret")
            let place = address(buffer)
            pool.give(consume buffer)
            #expect(pool.keptBytes == 64 << 10 && registry.reportedBytes == 64 << 10)
            let again = pool.take()
            #expect(address(again) == place && again.readableBytes == 0 && again.capacity == 64 << 10)
            #expect(pool.keptBytes == 0 && registry.reportedBytes == 0)
        }

        @Test("Bytes that somebody still has are never overwritten")
        func shared() {
            let pool = pool()
            var buffer = pool.take()
            buffer.writeString("mine")
            let mine = buffer
            pool.give(consume buffer)
            var other = pool.take()
            other.writeString("other")
            #expect(String(buffer: mine) == "mine" && address(other) != address(mine))
        }

        @Test("No more is kept than may be, and buffers of other sizes are not kept")
        func bounds() {
            let pool = pool(mostBytes: 128 << 10)
            let buffers = (0..<4).map { _ in pool.take() }
            for buffer in buffers { pool.give(buffer) }
            #expect(pool.keptBytes == 128 << 10)
            let other = self.pool()
            other.give(ByteBuffer(string: "small"))
            other.give(ByteBufferAllocator().buffer(capacity: 1 << 20))
            #expect(other.keptBytes == 0)
        }

        @Test("Under pressure it gives back what is asked for, and keeps to its limit")
        func pressure() async throws {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            machine.tree.setUnreclaimable(bytes: 100 << 20)
            let manager = try ResourceManager(
                registry: registry, backgroundTasks: machine.makeBackgroundTaskRegistry(),
                logger: GatedServer.logger, environment: machine.environment)
            let running = Task { try await manager.run() }
            await machine.waitUntilStarted()
            let pool = pool()
            for _ in 0..<2 {
                var fresh: [ByteBuffer] = (0..<8).map { _ in pool.take() }
                while let buffer = fresh.popLast() { pool.give(buffer) }
                let kept = pool.keptBytes
                #expect(kept == 512 << 10)
                let second = try #require(await manager.releaseCaches(bytes: 100 << 10))
                #expect(second.promisedBytes == 128 << 10)
                #expect(pool.keptBytes == kept - 128 << 10)
                await manager.releaseCaches()
                #expect(pool.keptBytes == 0)
                #expect(registry.reportedBytes == 0)
            }
            running.cancel()
            _ = await running.result
        }

        @Test("A pool that is let go is registered no more, and many threads may use one")
        func lifetime() async {
            var pool: BufferPool? = pool()
            await withTaskGroup(of: Void.self) { [pool] group in
                for _ in 0..<8 {
                    group.addTask {
                        for number in 0..<500 {
                            guard var buffer = pool?.take() else { return }
                            buffer.writeInteger(number)
                            let read = buffer.readInteger(as: Int.self)
                            #expect(read == number)
                            pool?.give(buffer)
                        }
                    }
                }
            }
            #expect(registry.reportedBytes == pool?.keptBytes)
            pool = nil
            #expect(registry.reportedBytes == 0)
        }
    }
#endif
