/// One way to hold background work with an expiry that is, nearly always, called off.
///
/// A contender keeps what it is given in numbered slots of its own, as what is held may be a type that cannot be copied.
/// On expiry it calls `fired(word)`: a closure of one captured word, where the way takes a closure.
protocol Contender: Sendable {
    /// False where the time that ending takes grows with what is held, so that a million are never ended.
    static var endsInConstantTime: Bool { get }

    /// With so many slots, all of them empty, for so many threads that will begin and end.
    init(slots: Int, threads: Int)

    /// Begins in an empty slot what is to expire at `due`, in nanoseconds of CLOCK_MONOTONIC.
    func begin(_ slot: Int, due: Int64, word: Int)

    /// Begins in an empty slot what would expire in 30 s, as one writes it in this way; the word is the slot.
    func begin(_ slot: Int)

    /// Ends what is in a slot, and leaves it empty.
    func end(_ slot: Int)

    /// Returns once everything that was begun is held, and of everything that was ended nothing more is to be done.
    func settle()
}

extension Contender {
    static var endsInConstantTime: Bool { true }
}

/// Numbered places for values that need not be copyable; all of its memory is there from the start.
@safe struct Slots<Element: ~Copyable>: @unchecked Sendable {
    private let base: UnsafeMutablePointer<Element>

    /// It is never given back: it lives as long as the measurement, which is the process.
    init(count: Int) {
        unsafe base = .allocate(capacity: count)
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: base, count: count * MemoryLayout<Element>.stride)
        // Touched, so that it is not counted with what is held.
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0xFF)
    }

    func put(_ element: consuming Element, _ slot: Int) {
        unsafe (base + slot).initialize(to: element)
    }

    func remove(_ slot: Int) -> Element {
        unsafe (base + slot).move()
    }
}
