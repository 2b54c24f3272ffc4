/// The knowledge of a scene's stored state. Pure.
struct SavedState {
    /// Indicates whether the stored state, if any, may be out of date.
    private(set) var isUnsaved = false
    /// The state that was encoded and could not be stored.
    private(set) var waiting: SceneStateData?
    /// The stamp of the stored state.
    private(set) var stamp: UInt64?
    /// It was asked for its state and gave none that could be kept: that nothing has changed since does not mean that it is
    /// stored.
    private var hasLostChange = false

    /// It may change from here on.
    mutating func mayChange(hasStore: Bool) {
        isUnsaved = hasStore
    }

    /// It was encoded. A state that is too long is not kept.
    mutating func wasEncoded(_ data: SceneStateData, maximumBytes: Int) {
        hasLostChange = data.bytes.count > maximumBytes
        if !hasLostChange { waiting = data }
    }

    mutating func wasNotEncoded() {
        hasLostChange = true
    }

    /// Nothing has changed since it was asked for last; what it gave then may be missing all the same.
    mutating func isUnchanged() {
        isUnsaved = hasLostChange
    }

    /// Keeps a state until somebody has it.
    mutating func keep(_ data: SceneStateData?) {
        waiting = data
    }

    mutating func willBeStored(_ data: SceneStateData) {
        waiting = data
        isUnsaved = true
    }

    mutating func wasNotStored() {
        isUnsaved = true
    }

    /// A state that was written late may have been overtaken by one that waits: it counts for nothing then.
    mutating func wasStored(_ data: SceneStateData, stamp: UInt64) {
        guard waiting == data else { return }
        waiting = nil
        isUnsaved = hasLostChange
        self.stamp = stamp
    }

    /// It was read from the store.
    mutating func wasRead(stamp: UInt64) {
        self.stamp = stamp
    }

    mutating func forgetWaiting() {
        waiting = nil
    }
}
