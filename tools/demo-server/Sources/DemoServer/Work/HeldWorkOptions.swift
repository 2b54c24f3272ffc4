internal import ArgumentParser

/// Background work that a test of the shutdown wants to be under way.
struct HeldWorkOptions: ParsableArguments {
    @Option(help: "Background tasks to hold from the start until a shutdown begins.")
    var hold = 0

    @Option(help: "Seconds from the beginning of the shutdown until the last of --hold ends.")
    var holdFor = 1.0

    @Option(help: "Background tasks to hold for ever, even after they expire.")
    var holdForever = 0

    @Option(
        help:
            "Seconds after which the tasks of --hold-forever expire. By default they expire at the end of the process.")
    var holdExpiry: Double?

    /// How many there are in all.
    var total: Int { hold + holdForever }

    func validate() throws {
        for (option, count) in [("--hold", hold), ("--hold-forever", holdForever)] where !(0...10_000_000 ~= count) {
            throw ValidationError("\(option) \(count): allowed are 0 to 10000000")
        }
        guard 0...3600 ~= holdFor else { throw ValidationError("--hold-for \(holdFor): allowed are 0 to 3600") }
        if let holdExpiry {
            guard 0.001...1_000_000 ~= holdExpiry else {
                throw ValidationError("--hold-expiry \(holdExpiry): allowed are 0.001 to 1000000")
            }
            guard holdForever > 0 else { throw ValidationError("--hold-expiry is for those of --hold-forever") }
        }
    }
}
