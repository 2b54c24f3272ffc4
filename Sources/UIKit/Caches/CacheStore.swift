#if os(Linux)
    internal import Foundation
    internal import JetsamSystem
    internal import PurgeableCaches

    /// What a ``NSCache`` holds, for the cache itself and for the manager, who may ask for memory when the cache is gone already.
    final class CacheStore: Sendable {
        struct State {
            var table = CacheTable()
            var countLimit = 0
            var costLimit = 0
            /// The manager's, in bytes.
            var byteLimit: Int?
            var evictsDiscarded = true
            var name = ""
            var parties = Parties()
            var registration: CacheRegistration?

            var isOverFull: Bool {
                (countLimit > 0 && table.count > countLimit) || (costLimit > 0 && table.totalCost > costLimit)
                    || byteLimit.map { table.bytes > $0 } ?? false
            }

            func admits(_ entry: CacheEntry) -> Bool {
                (costLimit <= 0 || entry.cost <= costLimit) && byteLimit.map { entry.bytes <= $0 } ?? true
            }
        }

        /// The cache and its delegate, which whoever uses the cache from several threads answers for.
        struct Parties: @unchecked Sendable {
            weak var cache: AnyObject?
            weak var delegate: (any NSCacheDelegate)?
        }

        /// So many entries are looked at with each taking of the lock.
        static let most = 256

        let state = Lock(State())

        func setCache(_ cache: AnyObject) {
            changeParties { $0.cache = cache }
        }

        private func changeParties(_ change: (inout Parties) -> Void) {
            var parties = state.withLock { $0.parties }
            change(&parties)
            state.withLock { [parties] in $0.parties = parties }
        }

        /// Registers with the process's registry under the cache's name; what was registered before is gone.
        func register() {
            let name = state.withLock { $0.name }
            let registration = CacheRegistry.shared.register(
                name.isEmpty ? "NSCache" : name,
                limit: { [weak self] in self?.setByteLimit($0) },
                release: { [weak self] in self?.release(bytes: $0.bytes) ?? 0 })
            let old = state.withLock { state in
                defer {
                    state.registration = registration
                    // The manager sets a limit for the new registration if there is to be one.
                    state.byteLimit = nil
                    registration.update(bytes: state.table.bytes)
                }
                return state.registration
            }
            old?.end()
        }

        func object(for key: CacheKey) -> AnyObject? {
            guard let number = find(key).number else { return nil }
            guard
                let (entry, evicts) = state.withLock({ state in
                    state.table.use(number).map { ($0, state.evictsDiscarded) }
                })
            else { return nil }
            guard evicts, let content = entry.discardable, content.isContentDiscarded() else { return entry.object }
            remove(number)
            return nil
        }

        func set(_ object: AnyObject, for key: CacheKey, cost: Int) {
            let entry = CacheEntry(object, for: key, cost: cost)
            while true {
                let found = find(key)
                let leaving = state.withLock { state -> [CacheEntry]? in
                    // Somebody else has put in or removed an object of that hash meanwhile: compared anew.
                    guard state.table.candidates(key.hash).map(\.number) == found.seen else { return nil }
                    defer { state.registration?.update(bytes: state.table.bytes) }
                    var leaving: [CacheEntry] = []
                    if let number = found.number, let old = state.table.remove(number), old.object !== object {
                        leaving.append(old)
                    }
                    guard state.admits(entry) else { return leaving + [entry] }
                    state.table.insert(entry)
                    return leaving + Self.trim(&state)
                }
                if let leaving { return tell(leaving) }
            }
        }

        func removeObject(for key: CacheKey) {
            if let number = find(key).number { remove(number) }
        }

        func removeAll() {
            tell(
                state.withLock { state in
                    defer { state.registration?.update(bytes: 0) }
                    return state.table.removeAll()
                })
        }

        var name: String {
            get { state.withLock { $0.name } }
            set {
                state.withLock { $0.name = newValue }
                register()
            }
        }

        var countLimit: Int {
            get { state.withLock { $0.countLimit } }
            set { change { $0.countLimit = newValue } }
        }

        var costLimit: Int {
            get { state.withLock { $0.costLimit } }
            set { change { $0.costLimit = newValue } }
        }

        var evictsDiscarded: Bool {
            get { state.withLock { $0.evictsDiscarded } }
            set { state.withLock { $0.evictsDiscarded = newValue } }
        }

        var delegate: (any NSCacheDelegate)? {
            get { state.withLock { $0.parties }.delegate }
            set { changeParties { $0.delegate = newValue } }
        }

        private func change(_ change: (inout State) -> Void) {
            tell(
                state.withLock { state in
                    change(&state)
                    return Self.trim(&state)
                })
        }

        /// Nothing leaves because of it: only what is put in from now on makes others leave.
        private func setByteLimit(_ bytes: Int?) {
            state.withLock { $0.byteLimit = bytes }
        }

        private static func trim(_ state: inout State) -> [CacheEntry] {
            var leaving: [CacheEntry] = []
            while state.isOverFull, let entry = state.table.removeOldest() { leaving.append(entry) }
            if !leaving.isEmpty { state.registration?.update(bytes: state.table.bytes) }
            return leaving
        }

        /// The entry of a key, and those that were compared.
        private func find(_ key: CacheKey) -> (number: UInt64?, seen: [UInt64]) {
            let candidates = state.withLock { $0.table.candidates(key.hash) }
            return (candidates.first { $0.key == key }?.number, candidates.map(\.number))
        }

        private func remove(_ number: UInt64) {
            let entry = state.withLock { state in
                defer { state.registration?.update(bytes: state.table.bytes) }
                return state.table.remove(number)
            }
            if let entry { tell([entry]) }
        }

        /// Tells the delegate who has left, under no lock.
        func tell(_ leaving: [CacheEntry]) {
            guard !leaving.isEmpty else { return }
            let parties = state.withLock { $0.parties }
            guard let cache = parties.cache, let delegate = parties.delegate else { return }
            // The same object: no generic class has another layout for other objects.
            let anyCache = unsafe Unmanaged<NSCache<AnyObject, AnyObject>>
                .fromOpaque(Unmanaged.passUnretained(cache).toOpaque()).takeUnretainedValue()
            for entry in leaving { delegate.cache(anyCache, willEvictObject: entry.object) }
        }
    }
#endif
