import Dispatch

@testable import MemoryPressure

/// What a source's handlers were called with, in order, to be waited for.
final class SourceRecord: Sendable {
    enum Entry: Sendable, Equatable {
        case event(MemoryPressureEvent)
        case registered
        case cancelled
    }

    private struct State {
        var entries: [Entry] = []
        var given = 0
        var waiter: CheckedContinuation<Entry?, Never>?

        /// The first entry that was not given yet.
        mutating func nextEntry() -> Entry? {
            guard given < entries.count else { return nil }
            given += 1
            return entries[given - 1]
        }

        /// Whoever waits for an entry; it is its caller who must be resumed.
        mutating func removeWaiter() -> CheckedContinuation<Entry?, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Lock(State())

    var entries: [Entry] { state.withLock { $0.entries } }

    func add(_ entry: Entry) {
        let (waiter, entry): (CheckedContinuation<Entry?, Never>?, Entry?) = state.withLock { state in
            state.entries.append(entry)
            let waiter = state.removeWaiter()
            return (waiter, waiter == nil ? nil : state.nextEntry())
        }
        waiter?.resume(returning: entry)
    }

    /// The next entry that is not the same again: a grade that lasts is told anew every half minute, which is less than a test may
    /// take among many.
    func next(after entry: Entry) async -> Entry? {
        while true {
            let next = await next()
            if next != entry { return next }
        }
    }

    /// The first entry that was not given yet, waiting for it where there is none; nil where none comes within `seconds`,
    /// which is far more than it ever should take.
    func next(seconds: Int = 60) async -> Entry? {
        await withCheckedContinuation { continuation in
            let (given, entry) = state.withLock { state in
                if let entry = state.nextEntry() { return (state.given, entry as Entry?) }
                state.waiter = continuation
                return (state.given, nil)
            }
            if let entry { return continuation.resume(returning: entry) }
            DispatchQueue(label: "deadline").asyncAfter(deadline: .now() + .seconds(seconds)) { [state] in
                let waiter = state.withLock { $0.given == given ? $0.removeWaiter() : nil }
                waiter?.resume(returning: nil)
            }
        }
    }
}

extension MemoryPressureSource {
    /// Has every handler write into `record`.
    func report(to record: SourceRecord) {
        setEventHandler { [weak self] in
            if let self { record.add(.event(data)) }
        }
        setRegistrationHandler { record.add(.registered) }
        setCancelHandler { record.add(.cancelled) }
    }
}
