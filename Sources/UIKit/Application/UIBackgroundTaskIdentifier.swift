#if os(Linux)
    /// The identifier of a background task, to end it with.
    public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
        /// The identifier as a number. Never 0 for a task.
        public let rawValue: Int

        /// The identifier of that number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The identifier of a task that was refused, and of none. Ending it does nothing.
        public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
    }
#endif
