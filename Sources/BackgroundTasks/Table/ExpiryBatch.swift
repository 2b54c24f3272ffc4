/// A background task whose grace is over, as far as an entry knows it.
struct OverdueTask {
    var identifier: TaskTable.Identifier
    var origin: UInt32
    var began: UInt32
    /// The time when it last told progress; nil where it never did.
    var progressed: UInt32?
    /// The end of its grace, in running time.
    var since: Int64
    var owner: UInt32
    var priority: UInt8
}

/// The tasks that were taken from the table to be called, in places that exist from the start.
@safe struct ExpiryBatch: ~Copyable {
    enum Item {
        /// One whose handler is to be taken out and called.
        case expired(TaskTable.Identifier)
        case overdue(OverdueTask)
    }

    static let capacity = 256
    private let expired: UnsafeMutablePointer<TaskTable.Identifier>
    private let overdue: UnsafeMutablePointer<OverdueTask>
    private var expiredCount = 0
    private var nextExpired = 0
    private var overdueCount = 0
    private var nextOverdue = 0

    init() {
        unsafe expired = .allocate(capacity: Self.capacity)
        unsafe overdue = .allocate(capacity: Self.capacity)
    }

    deinit {
        unsafe expired.deallocate()
        unsafe overdue.deallocate()
    }

    var isFull: Bool { expiredCount == Self.capacity || overdueCount == Self.capacity }

    var isEmpty: Bool { nextExpired == expiredCount && nextOverdue == overdueCount }

    mutating func append(_ identifier: TaskTable.Identifier) {
        unsafe (expired + expiredCount).initialize(to: identifier)
        expiredCount += 1
    }

    mutating func append(_ task: OverdueTask) {
        unsafe (overdue + overdueCount).initialize(to: task)
        overdueCount += 1
    }

    /// The next to be called, in order; nil where there is none, and then the batch can be filled again.
    mutating func next() -> Item? {
        if nextExpired < expiredCount {
            defer { nextExpired += 1 }
            return unsafe .expired(expired[nextExpired])
        }
        if nextOverdue < overdueCount {
            defer { nextOverdue += 1 }
            return unsafe .overdue(overdue[nextOverdue])
        }
        expiredCount = 0
        nextExpired = 0
        overdueCount = 0
        nextOverdue = 0
        return nil
    }
}
