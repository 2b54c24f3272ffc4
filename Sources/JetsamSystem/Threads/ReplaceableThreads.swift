internal import Synchronization
package import SystemPackage

/// Threads that call code which may never come back, and others that take the place of those that hang, up to a number.
///
/// Whoever owns them finds out that one hangs: by a deadline, by somebody who stands by, by a thread that watches. What follows is
/// the same for all: another is started where there are fewer than ``most``, and one that comes back after that ends.
package final class ReplaceableThreads: Sendable {
    /// The number that is not exceeded, those that hang included.
    package let most: Int
    private let source: any ThreadSource
    private let live = Atomic<Int>(0)
    private let calling = Atomic<Int>(0)

    package init(most: Int, source: any ThreadSource) {
        self.most = most
        self.source = source
    }

    /// The number of threads that have not ended, those that hang included.
    package var count: Int { live.load(ordering: .acquiring) }

    /// Indicates whether another may be started.
    package var hasRoom: Bool { count < most }

    /// Indicates whether every one of them is in code of the application's.
    package var areAllCalling: Bool { calling.load(ordering: .acquiring) >= count }

    /// Code of the application's is about to be called by one of them.
    package func willCall() { calling.add(1, ordering: .acquiringAndReleasing) }

    package func didCall() { calling.subtract(1, ordering: .acquiringAndReleasing) }

    /// Starts one more, whatever their number.
    package func start(
        _ name: String, stackBytes: Int = ServiceThread.stackBytes, _ body: @escaping @Sendable () -> Void
    ) throws(Errno) {
        enter()
        do throws(Errno) {
            try source.start(name, stackBytes: stackBytes) { [self] in
                body()
                leave()
            }
        } catch {
            leave()
            throw error
        }
    }

    /// Starts one more in the place of one that hangs; false where there are too many or none can be had.
    package func replace(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        guard hasRoom else { return false }
        do throws(Errno) { try start(name, body) } catch { return false }
        return true
    }

    /// The calling thread is one of them until it leaves.
    package func enter() { live.add(1, ordering: .acquiringAndReleasing) }

    package func leave() { live.subtract(1, ordering: .acquiringAndReleasing) }
}
