internal import Foundation
internal import Logging
internal import UnixSignals
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

    /// The same from the first SIGUSR1 on. When this comes back, the signal is waited for.
    func beginAtSignal(logger: Logger) async {
        let signals = await UnixSignalsSequence(trapping: .sigusr1)
        Task {
            for await _ in signals {
                begin(logger: logger)
                return
            }
        }
    }
}
