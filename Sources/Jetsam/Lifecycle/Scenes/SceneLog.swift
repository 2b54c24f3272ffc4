internal import Logging
internal import MemoryPressure

/// The record of what happens to scenes: counted for the statistics, and written to the log.
final class SceneLog: Sendable {
    private struct State {
        var statistics = SceneStatistics()
        /// Warnings about scenes since a change of the process began; nil where none is under way.
        var warnings: Int?
    }

    /// So many warnings about scenes are written for one change of the process; the others are counted.
    private static let mostWarnings = 8

    let logger: Logger
    private let state = Lock(State())

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// The figures that are counted. Those that describe the scenes of this moment are missing.
    var statistics: SceneStatistics { state.withLock { $0.statistics } }

    /// Adds one to a figure.
    func count(_ figure: WritableKeyPath<SceneStatistics, Int>) {
        state.withLock { $0.statistics[keyPath: figure] += 1 }
    }

    /// Counts a callback that missed its deadline, and warns about it.
    func note(_ late: LateSceneCallback) {
        state.withLock { $0.statistics.note(late) }
        warn("Scene '\(late.scene)': \(late.callback) missed its deadline")
    }

    /// Warns about one scene; where a change of the process takes many along, about the first of them only.
    func warn(_ message: @autoclosure () -> String) {
        let isWritten = state.withLock { state in
            guard let warnings = state.warnings else { return true }
            state.warnings = warnings + 1
            return warnings < Self.mostWarnings
        }
        if isWritten { logger.warning("\(message())") } else { logger.debug("\(message())") }
    }

    /// Notes that the process begins a change that scenes follow.
    func beginChange() {
        state.withLock { $0.warnings = 0 }
    }

    /// Writes what was left out during a change of the process.
    ///
    /// - Parameter isOver: False where warnings that come after it are part of the same change.
    func endChange(isOver: Bool) {
        let warnings = state.withLock { state in
            defer { if isOver { state.warnings = nil } }
            return state.warnings ?? 0
        }
        let left = warnings - Self.mostWarnings
        guard left > 0 else { return }
        logger.warning(
            "Scenes: \(left) more \(left == 1 ? "warning was" : "warnings were") not written, in one change of the process"
        )
    }
}
