#if os(Linux)
    internal import JetsamSystem
    internal import PurgeableCaches

    extension CacheStore {
        /// Gives back at least so many bytes, of what was used longest ago: contents that can be discarded are, other objects leave.
        ///
        /// - Returns: The bytes that were given.
        func release(bytes wanted: Int) -> Int {
            var given = 0
            var passed: Set<UInt64> = []
            while given < wanted {
                let oldest = state.withLock { [passed, given] state in
                    state.table.oldest(bytes: wanted - given, atMost: Self.most, passing: passed)
                        .map { ($0, state.table[$0]) }
                }
                guard !oldest.isEmpty else { break }
                for (number, entry) in oldest {
                    passed.insert(number)
                    if let entry { given = given.addingSaturating(give(number, entry)) }
                }
            }
            return given
        }

        private func give(_ number: UInt64, _ entry: CacheEntry) -> Int {
            if let content = entry.discardable {
                content.discardContentIfPossible()
                // It is in use: that it left would bring nothing.
                guard content.isContentDiscarded() else { return 0 }
                guard evictsDiscarded else {
                    return state.withLock { state in
                        defer { state.registration?.update(bytes: state.table.bytes) }
                        return state.table.empty(number)
                    }
                }
            }
            let removed = state.withLock { state in
                defer { state.registration?.update(bytes: state.table.bytes) }
                return state.table.remove(number)
            }
            guard let removed else { return 0 }
            tell([removed])
            return removed.bytes
        }
    }
#endif
