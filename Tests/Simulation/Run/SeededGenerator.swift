/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): small, and the same everywhere for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number from 0 up to 1.
    mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func share(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + share() * (range.upperBound - range.lowerBound)
    }

    mutating func chance(_ probability: Double) -> Bool { share() < probability }

    mutating func bytes(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(share() * Double(range.upperBound - range.lowerBound))
    }

    /// Nanoseconds from a range of seconds.
    mutating func nanoseconds(in seconds: ClosedRange<Double>) -> Int64 {
        Int64(share(in: seconds) * 1e9)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(next() % UInt64(elements.count))]
    }
}
