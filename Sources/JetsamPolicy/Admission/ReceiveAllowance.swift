package import JetsamSystem

/// The bytes that a server may hold for its clients: what was set or a quarter of the container's limit, half of that at `warning`
/// and a quarter of it at `critical`.
package struct ReceiveAllowance: Sendable, Equatable {
    /// The least that may be set.
    package static let least = 64 << 10
    /// What holds before the manager has read a limit, and where there is none.
    private static let unknown = 64 << 20

    private var atNormal: Int?
    /// The level that counts.
    package var level = PressureLevel.normal

    /// - Parameter bytes: Held to ``least`` or more; nil takes it from the limit.
    package init(bytes: Int?) {
        atNormal = bytes.map { max(Self.least, $0) }
    }

    /// Indicates whether no limit has to be learned any more.
    package var isKnown: Bool { atNormal != nil }

    /// Takes the default from the container's limit, where nothing was set; 0 is no limit.
    package mutating func learn(limitBytes: Int) {
        guard atNormal == nil else { return }
        atNormal = max(Self.least, limitBytes > 0 ? limitBytes / 4 : Self.unknown)
    }

    /// The bytes that may be held now.
    package var bytes: Int {
        let bytes = atNormal ?? Self.unknown
        return switch level {
        case .normal: bytes
        case .warning: bytes / 2
        case .critical: bytes / 4
        }
    }
}
