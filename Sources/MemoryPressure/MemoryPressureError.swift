/// The reason why pressure cannot be measured at all, or why a request to this module was refused.
public struct MemoryPressureError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, as an open set.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case noSignalAvailable = "no memory signal is available" }

        private let kind: Kind

        /// Not one source of signals can be used.
        public static let noSignalAvailable = Code(kind: .noSignalAvailable)

        /// The code in words.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// Every source that was tried, with the reason why it is not available.
    public var statuses: [SourceStatus]

    /// Not one of these sources can be used.
    public static func noSignalAvailable(statuses: [SourceStatus]) -> MemoryPressureError {
        MemoryPressureError(code: .noSignalAvailable, statuses: statuses)
    }

    /// The code and the first three reasons; ``statuses`` has them all.
    public var description: String {
        let shown = statuses.prefix(3).map(\.description).joined(separator: "; ")
        let more = statuses.count > 3 ? "; and \(statuses.count - 3) more" : ""
        return shown.isEmpty ? "\(code)" : "\(code): \(shown)\(more)"
    }
}
