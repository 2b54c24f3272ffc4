package import JetsamSystem

/// The most connections that a server has open at each level: never more at a higher one.
package struct ConnectionBounds: Sendable, Equatable {
    private let atNormal: Int
    private let atWarning: Int
    private let atCritical: Int

    /// - Parameters:
    ///   - atNormal: At least 1; held to that.
    ///   - atWarning: Nil is half of `atNormal`. Held to 0…`atNormal`.
    ///   - atCritical: Held to 0…`atWarning`.
    package init(atNormal: Int, atWarning: Int?, atCritical: Int) {
        self.atNormal = max(1, atNormal)
        self.atWarning = min(max(0, atWarning ?? self.atNormal / 2), self.atNormal)
        self.atCritical = min(max(0, atCritical), self.atWarning)
    }

    /// The bound at a level.
    package subscript(level: PressureLevel) -> Int {
        switch level {
        case .normal: atNormal
        case .warning: atWarning
        case .critical: atCritical
        }
    }
}
