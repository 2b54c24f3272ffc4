/// A closure in a box of its own: a bare one that crosses generic code is wrapped anew, which allocates.
struct ExpirationHandler {
    let call: @Sendable () -> Void
}

/// A handler that takes the reason and the time that is left. An entry keeps it in the place of the other, and has a mark for it.
struct InformedHandler {
    let call: @Sendable (BackgroundTaskExpiry.Reason, Duration?) -> Void

    /// The same two words, to be kept. It must not be called before ``init(kept:)`` has made it what it was.
    var kept: ExpirationHandler { unsafe unsafeBitCast(self, to: ExpirationHandler.self) }

    init(call: @escaping @Sendable (BackgroundTaskExpiry.Reason, Duration?) -> Void) {
        self.call = call
    }

    init(kept handler: ExpirationHandler) {
        self = unsafe unsafeBitCast(handler, to: InformedHandler.self)
    }
}

/// One background task in the table. 56 bytes, because a million of them are held at once.
struct TaskEntry {
    enum Phase: UInt8 {
        /// The slot is free.
        case free
        /// Held, and not notified yet.
        case held
        /// The expiration handler was called; the deadline and the grace after it have not passed.
        case expiring
        /// The grace is over and it was not ended.
        case overdue
        /// Ended from outside while a handle has it: the slot stays taken until the handle lets go.
        case ended
    }

    /// The list that the entry is linked in.
    enum Place {
        static let none = UInt16.max
        /// On the list of those without a deadline of their own.
        static let untimed = UInt16.max - 1
    }

    static let noIndex = UInt32.max

    /// Nil once it was called.
    var handler: ExpirationHandler?
    /// The time when something is to be done next, in nanoseconds of running time; `.max` for never. The time since which an
    /// overdue task is overdue.
    var due: Int64
    /// From the handler to the deadline, in microseconds, and above it what the handler is to be told: see ``reason`` and
    /// ``takesReason``.
    var leadAndMarks: UInt32
    /// The time when it began, and a mark for a task that a handle has.
    var began: UInt32
    var next: UInt32
    var previous: UInt32
    var generation: UInt32
    /// The name and the place in the source where it was begun, in the table of origins.
    var origin: UInt32
    /// The scene that it belongs to; 0 for none.
    var owner: UInt32
    /// The list that it is on: level and slot of the wheel, or one of `Place`.
    var place: UInt16
    var priority: UInt8
    var phase: Phase

    /// The place where the handler keeps what it captured, to fetch ahead; nil where it captured nothing, or was called.
    var handlerContext: UnsafeRawPointer? {
        mutating get {
            // A closure is two words: the code and the context.
            unsafe withUnsafeBytes(of: &handler) { unsafe $0.load(fromByteOffset: 8, as: UnsafeRawPointer?.self) }
        }
    }

    /// The longest lead is 60 s, which needs 26 bits of the 32.
    static let leadMask: UInt32 = 1 << 26 - 1
    private static let reasonShift: UInt32 = 26
    private static let reasonMask: UInt32 = 7 << reasonShift
    /// The handler is an ``InformedHandler``.
    static let takesReasonBit: UInt32 = 1 << 31

    /// From the handler to the deadline, in nanoseconds.
    var lead: Int64 { Int64(leadAndMarks & Self.leadMask) * 1000 }
    var takesReason: Bool { leadAndMarks & Self.takesReasonBit != 0 }

    /// The reason why it expires, as far as is known: its own deadline, unless something else came first.
    var reason: BackgroundTaskExpiry.Reason {
        get {
            BackgroundTaskExpiry.Reason(rawValue: UInt8((leadAndMarks & Self.reasonMask) >> Self.reasonShift))
                ?? .deadline
        }
        set { leadAndMarks = leadAndMarks & ~Self.reasonMask | Self.mark(newValue) }
    }

    static func mark(_ reason: BackgroundTaskExpiry.Reason) -> UInt32 { UInt32(reason.rawValue) << reasonShift }

    /// In `began`: a handle has it. A handle keeps no reference to its registry, because counting references from two
    /// threads costs more than all the rest; the registry lives as long as its table has entries.
    static let handleBit: UInt32 = 1 << 31
    var hasHandle: Bool { began & Self.handleBit != 0 }
    /// Units of 2^`beginShift` ns since the table was made.
    var begunAt: UInt32 { began & ~Self.handleBit }

    /// 2^24 ns, about 17 ms: enough to tell which runs longer, for a year. It wraps round, so that a table may be older.
    static let beginShift: Int64 = 24

    /// Returns the number of units for which an entry that began at `began` has been held at `unit`.
    static func age(_ began: UInt32, at unit: Int64) -> UInt32 {
        let age = (UInt32(truncatingIfNeeded: unit) &- began) & ~handleBit
        // One that began since somebody looked at the clock is not the oldest of all.
        return age < handleBit - 4096 ? age : 0
    }
}
