/// Something that happens to a server under a memory limit.
struct Disturbance: Sendable {
    static let mebibyte = 1 << 20

    var name: String
    /// What happens, for the help text and the page.
    var text: String
    var limitBytes = 512 * mebibyte
    /// What takes memory inside the server, in the words of `jetsam-stress`. It begins once the caches are filled.
    var inside: String?
    /// What runs beside the server in the same cgroup, in the words of `jetsam-stress`.
    var beside: String?
    /// What the limit is cut to, in place.
    var resizedBytes: Int?
    /// How many servers share the limit.
    var servers = 1
    /// How popular keys are: the exponent of Zipf's law. 0 makes all alike, so that nearly every request misses.
    var exponent = "0.99"
    /// How long a run lasts from the disturbance's beginning on.
    var length = Duration.seconds(8)
    /// What a server that Jetsam manages is given besides.
    var managedArguments: [String] = []
    /// The most unmanaged memory that it brings: where the search for a fixed budget begins.
    var unmanagedBytes = 0
    /// How many runs `--quick` makes of a way, where that is not one, or three of Jetsam: as many as it takes for two tables to agree;
    /// 0 where no few runs are enough for that. Nil where it makes none of any way.
    var quickRuns: [Way: Int]?
    /// Whether it is run only where `--only` names it: it answers one question, or takes minutes.
    var isExtra = false
}

extension Disturbance {
    static let all: [Disturbance] =
        [
            Disturbance(name: "growth", text: "The cache fills; nothing else happens.", quickRuns: [:]),
            Disturbance(
                name: "steady",
                text: """
                    The cache fills, and is in use for 40 s; nothing else happens. What lives through 'growth' may be killed here.
                    """,
                length: .seconds(40), isExtra: true),
            ramp("8MB", rate: "8MB/s", mebibytes: 100, length: .seconds(15)),
            ramp("50MB", rate: "50MB/s", mebibytes: 200, length: .seconds(10), quickRuns: [:]),
            ramp("500MB", rate: "500MB/s", mebibytes: 200, length: .seconds(8)),
            ramp("full", rate: "max", mebibytes: 200, length: .seconds(8)),
            Disturbance(
                name: "spike",
                text: "The server takes 150 MiB as fast as it can, and gives them back half a second later.",
                inside: "--pattern spike --limit 150MiB --hold 500ms", unmanagedBytes: 150 * mebibyte),
            Disturbance(
                name: "waves", text: "The server takes 160 MB in two seconds, and gives them back in two, four times.",
                inside: "--pattern sawtooth --limit 160MB --rate 80MB/s --duration 16s", length: .seconds(17),
                unmanagedBytes: 160_000_000, quickRuns: [.cleared: 3]),
            Disturbance(
                name: "sawtooth",
                text: "The server takes 90 MB in 0.3 s, and gives them back in 0.3 s, again and again.",
                inside: "--pattern sawtooth --limit 90MB --rate 300MB/s --duration 8s", length: .seconds(9),
                unmanagedBytes: 90_000_000, quickRuns: [:]),
            leak(exitSeconds: 0), leak(exitSeconds: 5, quickRuns: [.jetsam: 2]), leak(exitSeconds: 30),
            Disturbance(
                name: "misses",
                text: "All keys are alike, so that nearly every request misses and fills the cache at full speed.",
                exponent: "0", length: .seconds(13), quickRuns: [.cleared: 4, .jetsam: 8]),
            Disturbance(
                name: "thrash", text: "A neighbour reads a file of 600 MiB from end to end, over and over.",
                beside: "--pattern pagecache --limit 600MiB --rate max --reread --duration 9s", length: .seconds(10)),
            Disturbance(
                name: "log", text: "A neighbour writes a file of 1.5 GiB at 200 MB/s.",
                beside: "--pattern pagecache --limit 1536MiB --rate 200MB/s --hold 1s", length: .seconds(10),
                // It empties its cache once or twice, and so releases one amount or twice as much.
                quickRuns: [.cleared: 0, .jetsam: 8]),
            Disturbance(
                name: "fragment",
                text: "The server takes 150 MiB of heap in small blocks and frees nine in ten of them at random.",
                inside: "--pattern fragment --limit 150MiB --rate 100MB/s --hold 3s", length: .seconds(9),
                unmanagedBytes: 180 * mebibyte),
            neighbour("redis", quickRuns: [.jetsam: 8]), neighbour("memcached"),
            neighbour("redis", rate: 8, length: .seconds(17), isExtra: true),
            neighbour("redis", rate: 150, length: .seconds(9), isExtra: true),
            Disturbance(
                name: "resize", text: "The limit is cut from 512 to 384 MiB, in place.", resizedBytes: 384 * mebibyte,
                // Whether a cache that is emptied at a warning lives through this is chance.
                unmanagedBytes: 128 * mebibyte, quickRuns: [.cleared: 0, .jetsam: 5]),
            Disturbance(
                name: "bad-handlers",
                text: """
                    The server takes 380 MiB, and has four more caches that never help: one promises what it does not give, one throws, \
                    one hangs, and one never answers. Memory stays short for a minute.
                    """,
                inside: "--pattern ramp --limit 380MiB --rate 50MB/s --hold 2m", length: .seconds(68),
                managedArguments: ["--bad-handlers"], unmanagedBytes: 380 * mebibyte, isExtra: true),
        ] + [2, 4, 8].map(several) + [1, 2].map(beside)

    private static func ramp(
        _ name: String, rate: String, mebibytes: Int, length: Duration, quickRuns: [Way: Int]? = nil
    ) -> Disturbance {
        let speed = rate == "max" ? "as fast as the machine gives them" : "at \(rate)"
        return Disturbance(
            name: "ramp-\(name)", text: "The server takes \(mebibytes) MiB beside its cache \(speed), and keeps them.",
            inside: "--pattern ramp --limit \(mebibytes)MiB --rate \(rate) --hold 1m", length: length,
            unmanagedBytes: mebibytes * mebibyte, quickRuns: quickRuns)
    }

    /// A small limit, so that the end is near; but what leaks while the server leaves has to fit it.
    private static func leak(exitSeconds: Int, quickRuns: [Way: Int]? = nil) -> Disturbance {
        let grace = exitSeconds + 15
        let limit = exitSeconds < 30 ? 192 : 512
        return Disturbance(
            name: "leak-\(exitSeconds)s",
            text: """
                The server leaks 5 MB/s until the end, under \(limit) MiB. Its background work takes \(exitSeconds) s to finish \
                (grace period \(grace) s, no drain delay); nothing but to leave in time can save it.
                """,
            limitBytes: limit * mebibyte, inside: "--pattern leak --limit 1GiB --rate 5MB/s --duration 2m",
            length: .seconds(exitSeconds < 30 ? 60 : 120),
            managedArguments: ["--last-resort", "--termination-grace-period", "\(grace)"]
                + (exitSeconds > 0 ? ["--hold", "20", "--hold-for", "\(exitSeconds)"] : []),
            unmanagedBytes: limit * mebibyte, quickRuns: quickRuns)
    }

    /// - Parameter rate: MiB a second; nil for 30, as usual.
    private static func neighbour(
        _ program: String, rate: Int? = nil, length: Duration = .seconds(9), quickRuns: [Way: Int]? = nil,
        isExtra: Bool = false
    ) -> Disturbance {
        Disturbance(
            name: rate.map { "\(program)-\($0)MiB" } ?? program,
            text: "A real \(program) in the same cgroup fills up with 100 MiB at \(rate ?? 30) MiB/s.",
            beside: "--pattern \(program) --limit 100MiB --rate \(rate ?? 30)MiB/s --hold 5s", length: length,
            unmanagedBytes: 130 * mebibyte, quickRuns: quickRuns, isExtra: isExtra)
    }

    private static func several(_ count: Int) -> Disturbance {
        Disturbance(
            name: "servers-\(count)", text: "\(count) servers fill their caches under one limit.", servers: count,
            length: .seconds(10), unmanagedBytes: (count - 1) * 40 * mebibyte)
    }

    /// One server or several, to compare what they release together, and what their caches hold two minutes later.
    private static func beside(_ count: Int) -> Disturbance {
        Disturbance(
            name: "beside-\(count)",
            text: """
                \(count == 1 ? "One server has" : "\(count) servers have") a neighbour that takes 100 MiB at 30 MB/s, and keeps them for \
                two minutes.
                """,
            beside: "--pattern ramp --limit 100MiB --rate 30MB/s --hold 3m", servers: count, length: .seconds(124),
            unmanagedBytes: (count * 40 + 60) * mebibyte, isExtra: true)
    }

    /// The words after `jetsam-stress` that let it happen alone, under its limit.
    var recipe: String? {
        (inside ?? beside).map { "run --limit \(limitBytes / Self.mebibyte)MiB -- jetsam-stress \($0)" }
    }
}
