/// Everything that the process holds as it enters the background: what the recorder keeps of it for after its end.
///
/// It has names and sizes, never keys, values or states. Your function may change names and leave parts out.
public struct StateSnapshot: Sendable, Equatable {
    /// A part and its size.
    public struct Part: Sendable, Equatable {
        /// Its name, as it was registered or begun with.
        public var name: String
        /// Bytes; 0 where it has none to tell.
        public var bytes: Int

        package init(name: String, bytes: Int = 0) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// Every registered cache with what it reports.
    public var caches: [Part] = []
    /// The background tasks that are held, at most a hundred of them.
    public var backgroundTasks: [Part] = []
    /// Every scene with its footprint, at most a hundred of them.
    public var scenes: [Part] = []

    package init() {}
}
