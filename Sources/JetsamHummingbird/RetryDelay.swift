#if Hummingbird
    internal import Synchronization

    /// Draws the whole seconds after which a client may try again: another number for each, so that clients that were refused
    /// together do not come back together.
    struct RetryDelay: Sendable {
        /// The numbers that are drawn from.
        let seconds: ClosedRange<Int>
        private let draws: Draws

        /// - Parameters:
        ///   - seconds: Held to 1…86,400.
        ///   - seed: The same numbers for the same seed; nil for a seed of its own.
        init(_ seconds: ClosedRange<Int>, seed: UInt64?) {
            let allowed = 1...86_400
            self.seconds = seconds.clamped(to: allowed)
            draws = Draws(seed ?? .random(in: .min ... .max))
        }

        func next() -> Int {
            seconds.lowerBound + Int(draws.next().multipliedFullWidth(by: UInt64(seconds.count)).high)
        }

        /// Sebastiano Vigna's SplitMix64, drawn from by many threads without a lock.
        private final class Draws: Sendable {
            private let state: Atomic<UInt64>

            init(_ seed: UInt64) {
                state = Atomic(seed)
            }

            func next() -> UInt64 {
                var mixed = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
                mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                return mixed ^ (mixed >> 31)
            }
        }
    }
#endif
