internal import Foundation
internal import Logging
internal import _StressPatterns

extension StressPattern {
    /// Takes the memory on a thread of its own, from now on.
    func begin(logger: Logger) {
        let thread = Thread {
            do { try run() } catch { logger.error("--disturb has ended early: \(error)") }
        }
        thread.name = "demo.disturb"
        thread.start()
    }
}
