internal import ArgumentParser

/// How the process ends, and under what pressure it believes to be.
struct LifecycleOptions: ParsableArguments {
    @Option(
        help: "The termination grace period in seconds: the server ends before. 30 by default.")
    var terminationGracePeriod: Double?

    @Option(help: "Seconds after SIGTERM in which the server is not ready but still answers. 0 by default.")
    var drainDelay: Double?

    @Option(help: "Seconds between the start of the server and its first connection. 0 by default.")
    var listenDelay: Double?

    @Option(help: "Scenes to connect once the server is active; each has 1 KiB to save. 0 by default.")
    var scenes: Int?

    @Option(help: "A directory for the states of scenes; its parent must exist. None by default.")
    var states: String?

    @Option(help: "Behave as under this pressure: warning or critical.")
    var simulatePressure: SimulatedPressure?

    func validate() throws {
        let (listenDelay, scenes) = (listenDelay ?? 0, scenes ?? 0)
        guard 0...3600 ~= listenDelay else {
            throw ValidationError("--listen-delay \(listenDelay): allowed are 0 to 3600")
        }
        guard 0...10_000 ~= scenes else { throw ValidationError("--scenes \(scenes): allowed are 0 to 10000") }
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
    var needManager: Bool { drainDelay ?? 0 > 0 || simulatePressure != nil || scenes ?? 0 > 0 || states != nil }
}
