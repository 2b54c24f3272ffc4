internal import NIOConcurrencyHelpers

/// What the manager has reported so far, for `/metrics`. Without a manager there is nothing in it.
final class PressureRecord: Sendable {
    struct Summary: Sendable {
        /// 0 normal, 1 warning, 2 critical.
        var level = 0
        var headroomBytes: Int?
        var levelChanges = 0
        var reclaimedBytes = 0
    }

    private let kept = NIOLockedValueBox(Summary?.none)

    var summary: Summary? {
        kept.withLockedValue { $0 }
    }

    func update(_ change: (inout Summary) -> Void) {
        kept.withLockedValue { summary in
            var updated = summary ?? Summary()
            change(&updated)
            summary = updated
        }
    }
}
