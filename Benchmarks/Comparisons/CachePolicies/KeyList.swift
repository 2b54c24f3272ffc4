/// Keys in an order: a doubly linked list in which each key stands at most once, with every operation in constant time.
struct KeyList {
    private static let none = UInt32.max

    private var older: [UInt32]
    private var newer: [UInt32]
    private(set) var oldest: Int?
    private(set) var newest: Int?
    private(set) var count = 0

    init(keys: Int) {
        older = Array(repeating: Self.none, count: keys)
        newer = Array(repeating: Self.none, count: keys)
    }

    /// Puts in a key that is not in the list.
    mutating func append(_ key: Int) {
        older[key] = newest.map { UInt32($0) } ?? Self.none
        newer[key] = Self.none
        if let newest { newer[newest] = UInt32(key) } else { oldest = key }
        newest = key
        count += 1
    }

    /// Takes out a key that is in the list.
    mutating func remove(_ key: Int) {
        let before = older[key]
        let after = newer[key]
        if before == Self.none { oldest = Self.known(after) } else { newer[Int(before)] = after }
        if after == Self.none { newest = Self.known(before) } else { older[Int(after)] = before }
        count -= 1
    }

    /// Takes out the oldest key; there must be one.
    mutating func removeOldest() -> Int {
        let key = oldest!
        remove(key)
        return key
    }

    /// The key that came in after this one.
    func key(after key: Int) -> Int? { Self.known(newer[key]) }

    private static func known(_ raw: UInt32) -> Int? { raw == none ? nil : Int(raw) }
}
