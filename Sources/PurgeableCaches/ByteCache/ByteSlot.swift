/// One place of the index: what a key hashes to, and where its entry is. Never 0 where it is taken.
///
/// From the top: 21 bits of hash, 3 of frequency, 6 of the segment's generation, 34 of location in units of four bytes.
/// The layout is that of Segcache's index (Yang, Yue and Vinayak, NSDI 2021) with a generation instead of a chain.
struct ByteSlot: Equatable {
    static let hashBits: UInt64 = 21
    static let locationBits: UInt64 = 34
    static let unitBytes = 4
    static let mostFrequency: UInt8 = 7
    /// No entry that is there has a lower one.
    static let firstGeneration: UInt8 = 2
    static let mostGeneration: UInt8 = 63

    static let hashShift: UInt64 = 43
    private static let frequencyShift: UInt64 = 40
    private static let generationShift: UInt64 = 34
    private static let locationMask: UInt64 = 1 << locationBits - 1

    var word: UInt64

    @inline(__always)
    init(word: UInt64) {
        self.word = word
    }

    /// - Parameter generation: ``firstGeneration``…63.
    @inline(__always)
    init(hash: UInt64, frequency: UInt8, generation: UInt8, location: UInt64) {
        word =
            hash << Self.hashShift | UInt64(frequency) << Self.frequencyShift
            | UInt64(generation) << Self.generationShift | location
    }

    @inline(__always) var isEmpty: Bool { word == 0 }
    @inline(__always) var hash: UInt64 { word &>> Self.hashShift }
    @inline(__always) var frequency: UInt8 { UInt8(truncatingIfNeeded: word &>> Self.frequencyShift) & 7 }
    @inline(__always) var generation: UInt8 { UInt8(truncatingIfNeeded: word &>> Self.generationShift) & 63 }
    @inline(__always) var location: UInt64 { word & Self.locationMask }

    /// The same with one more use, up to the most that is counted.
    @inline(__always) var touched: ByteSlot {
        frequency == Self.mostFrequency ? self : ByteSlot(word: word &+ 1 << Self.frequencyShift)
    }

    /// Returns whether both speak of the same entry, however often it was used.
    @inline(__always)
    func isOf(_ other: ByteSlot) -> Bool {
        (word ^ other.word) & ~(UInt64(Self.mostFrequency) << Self.frequencyShift) == 0
    }

    /// The same entry at another place.
    func moved(to location: UInt64, generation: UInt8, frequency: UInt8) -> ByteSlot {
        ByteSlot(hash: hash, frequency: frequency, generation: generation, location: location)
    }

    /// The same of an entry that is not there any more though its segment is: of the generation before, which no longer counts.
    var gone: ByteSlot { ByteSlot(word: word &- 1 << Self.generationShift) }
}
