internal import ArgumentParser

/// How the process ends, and under what pressure it believes to be.
struct LifecycleOptions: ParsableArguments {
    @Option(
        help: "Seconds that whoever ends the server waits before it kills: the server is gone before. 30 by default.")
    var terminationGracePeriod: Double?

    @Option(help: "Seconds for which the server, told to leave, is not ready but answers still. 0 by default.")
    var drainDelay: Double?

    @Option(help: "Behave as under this pressure: warning or critical.")
    var simulatePressure: SimulatedPressure?

    func validate() throws {
        let (terminationGracePeriod, drainDelay) = (terminationGracePeriod ?? 30, drainDelay ?? 0)
        guard 0.1...3600 ~= terminationGracePeriod else {
            throw ValidationError("--termination-grace-period \(terminationGracePeriod): allowed are 0.1 to 3600")
        }
        guard 0..<terminationGracePeriod ~= drainDelay else {
            throw ValidationError(
                "--drain-delay \(drainDelay): allowed are 0 to less than --termination-grace-period, which is "
                    + "\(terminationGracePeriod)")
        }
    }

    /// Whether something was asked for that only a manager can do.
    var needManager: Bool { drainDelay ?? 0 > 0 || simulatePressure != nil }
}
