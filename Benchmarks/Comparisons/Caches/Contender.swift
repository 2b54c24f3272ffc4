/// One way to keep values that can be made again, behind a lock where it needs one. Keys and values are numbers, the value being
/// its key, or as near to that as the way can come.
protocol Contender: Sendable {
    /// False for what keeps all that it is given.
    static var evicts: Bool { get }

    /// Bytes of a key and its value that are counted with what is held.
    static var contentBytes: Int { get }

    /// An empty one that holds so many entries, or with nil all of them, for keys below `keys`.
    init(capacity: Int?, keys: Int)

    /// The value of a key that is there, which is the key.
    func find(_ key: Int) -> Int?

    /// Puts in a key that is not there.
    func put(_ key: Int)
}

extension Contender {
    static var evicts: Bool { true }
    static var contentBytes: Int { 2 * MemoryLayout<Int>.size }
}
