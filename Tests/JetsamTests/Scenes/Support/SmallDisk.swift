import CTestProcesses
import MemoryPressure
import SystemPackage

@testable import Jetsam

#if canImport(Glibc)
    import Glibc

    /// A file system of a few pages that only one thread of this process can see: it is gone with the thread, however the test ends.
    final class SmallDisk: Sendable {
        private enum Order: Sendable {
            case makeReadOnly
            case perform(@Sendable (FilePath) -> Void)
            case end
        }

        let store: FileStateStore
        private let orders: Lock<[Order]>
        private let spot: ParkingSpot
        private let answers: ParkingSpot

        /// Whether this process may make file systems.
        static let isAllowed: Bool = {
            let answer = Lock(false)
            let done = ParkingSpot()
            let started: ()? = try? ServiceThread.start("disk-test") {
                let isAllowed = test_thread_private_mounts() == 0
                answer.withLock { $0 = isAllowed }
                done.signal()
            }
            if started != nil { done.wait(for: nil) }
            return answer.withLock { $0 }
        }()

        init(bytes: Int) throws {
            let directory = try TemporaryDirectory()
            let opened = Lock<Result<FileStateStore, any Error>?>(nil)
            let (orders, spot, answers) = (Lock<[Order]>([]), ParkingSpot(), ParkingSpot())
            (self.orders, self.spot, self.answers) = (orders, spot, answers)
            try ServiceThread.start("disk-test") {
                let path = directory.path
                let result = Result { try Self.open(path, bytes: bytes) }
                opened.withLock { $0 = result }
                answers.signal()
                var isEnding = (try? result.get()) == nil
                while !isEnding {
                    spot.wait(for: nil)
                    switch orders.withLock({ $0.popLast() }) {
                    case .makeReadOnly: _ = unsafe mount(nil, path.string, nil, UInt(MS_REMOUNT | MS_RDONLY), nil)
                    case .perform(let body): body(path)
                    case .end, nil: isEnding = true
                    }
                    answers.signal()
                }
                _ = unsafe umount2(path.string, CInt(MNT_DETACH))
                withExtendedLifetime(directory) {}
            }
            answers.wait(for: nil)
            store = try opened.withLock { $0 }!.get()
        }

        deinit {
            order(.end)
        }

        private static func open(_ path: FilePath, bytes: Int) throws -> FileStateStore {
            let result = test_thread_private_mounts()
            guard result == 0 else { throw Errno(rawValue: -result) }
            guard unsafe mount("none", path.string, "tmpfs", 0, "size=\(bytes),mode=700") == 0 else {
                throw Errno(rawValue: errno)
            }
            return try FileStateStore(directory: path)
        }

        func makeReadOnly() {
            order(.makeReadOnly)
            answers.wait(for: nil)
        }

        /// Calls the body with the path, on the thread that can see it. What it opens there can be used everywhere.
        func perform<Result: Sendable>(_ body: @escaping @Sendable (FilePath) -> Result) -> Result {
            let result = Lock<Result?>(nil)
            order(.perform { path in result.withLock { $0 = body(path) } })
            answers.wait(for: nil)
            return result.withLock { $0 }!
        }

        private func order(_ order: Order) {
            orders.withLock { $0.append(order) }
            spot.signal()
        }
    }
#endif
