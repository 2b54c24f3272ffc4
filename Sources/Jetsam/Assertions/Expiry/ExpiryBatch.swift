/// An assertion whose grace is over, as far as an entry knows it.
struct OverdueAssertion {
    var identifier: AssertionTable.Identifier
    var origin: UInt32
    var began: UInt32
    var owner: UInt32
    var priority: UInt8
}

/// What was taken from the table to be called, in places that exist from the start.
@safe struct ExpiryBatch: ~Copyable {
    enum Item {
        case handler(ExpirationHandler)
        case overdue(OverdueAssertion)
    }

    static let capacity = 256
    private let handlers: UnsafeMutablePointer<ExpirationHandler>
    private let overdue: UnsafeMutablePointer<OverdueAssertion>
    private var handlerCount = 0
    private var nextHandler = 0
    private var overdueCount = 0
    private var nextOverdue = 0

    init() {
        unsafe handlers = .allocate(capacity: Self.capacity)
        unsafe overdue = .allocate(capacity: Self.capacity)
    }

    deinit {
        unsafe (handlers + nextHandler).deinitialize(count: handlerCount - nextHandler)
        unsafe handlers.deallocate()
        unsafe overdue.deallocate()
    }

    var isFull: Bool { handlerCount == Self.capacity || overdueCount == Self.capacity }

    var isEmpty: Bool { nextHandler == handlerCount && nextOverdue == overdueCount }

    mutating func append(_ handler: ExpirationHandler) {
        unsafe (handlers + handlerCount).initialize(to: handler)
        handlerCount += 1
    }

    mutating func append(_ assertion: OverdueAssertion) {
        unsafe (overdue + overdueCount).initialize(to: assertion)
        overdueCount += 1
    }

    /// The next to be called, in order; nil where there is none, and then the batch can be filled again.
    mutating func next() -> Item? {
        if nextHandler < handlerCount {
            defer { nextHandler += 1 }
            return unsafe .handler((handlers + nextHandler).move())
        }
        if nextOverdue < overdueCount {
            defer { nextOverdue += 1 }
            return unsafe .overdue(overdue[nextOverdue])
        }
        handlerCount = 0
        nextHandler = 0
        overdueCount = 0
        nextOverdue = 0
        return nil
    }
}
