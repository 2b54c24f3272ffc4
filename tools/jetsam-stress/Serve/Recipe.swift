/// A disturbance that anybody can repeat alone with `serve`.
struct Recipe: Sendable {
    var name: String
    /// The words of `--disturb`; nil where no pattern is needed.
    var pattern: String?
    /// What else is given to `serve`, before or after.
    var serve: String?
    /// What else is given to `run`.
    var run: String?

    static let all: [Recipe] = [
        Recipe(name: "growth of the cache alone"),
        Recipe(name: "misses at full speed", serve: "--zipf 0"),
        Recipe(name: "ramp, slow", pattern: "--pattern ramp --rate 8MB/s --limit 100MiB --delay 5s --hold 5s"),
        Recipe(name: "ramp", pattern: "--pattern ramp --rate 50MB/s --limit 200MiB --delay 5s --hold 5s"),
        Recipe(name: "ramp, fast", pattern: "--pattern ramp --rate 500MB/s --limit 200MiB --delay 5s --hold 5s"),
        Recipe(name: "ramp, full rate", pattern: "--pattern ramp --rate max --limit 200MiB --delay 5s --hold 5s"),
        Recipe(name: "spike", pattern: "--pattern spike --limit 150MiB --delay 5s --hold 500ms"),
        Recipe(name: "waves", pattern: "--pattern waves --rate 80MB/s --limit 160MB --delay 5s --hold 1s"),
        Recipe(name: "sawtooth", pattern: "--pattern sawtooth --rate 300MB/s --limit 90MB --delay 5s"),
        Recipe(name: "leak", pattern: "--pattern leak --rate 5MB/s --limit 1GiB --delay 5s --duration 2m"),
        Recipe(
            name: "a file, end to end",
            pattern: "--pattern pagecache --reread --rate max --limit 600MiB --delay 5s"),
        Recipe(
            name: "a file, random order",
            pattern: "--pattern pagecache --reread --random-order --rate max --limit 600MiB --delay 5s"),
        Recipe(name: "a log", pattern: "--pattern pagecache --rate 200MB/s --limit 1536MiB --delay 5s"),
        Recipe(
            name: "fragmentation", pattern: "--pattern fragment --rate 100MB/s --limit 150MiB --delay 5s --hold 5s"),
        Recipe(name: "redis", pattern: "--pattern redis --rate 30MiB/s --limit 100MiB --delay 5s --hold 5s"),
        Recipe(name: "memcached", pattern: "--pattern memcached --rate 30MiB/s --limit 100MiB --delay 5s --hold 5s"),
        Recipe(name: "the limit cut in place", run: "--resize 384MiB --resize-after 10s"),
    ]

    /// One line to type, where `jetsam-stress` is on the PATH.
    var command: String {
        let run = ["run --limit 512MiB", run].compactMap { $0 }.joined(separator: " ")
        let serve = ["serve --way jetsam", serve, pattern.map { "--disturb \"\($0)\"" }].compactMap { $0 }
        return "jetsam-stress \(run) -- jetsam-stress \(serve.joined(separator: " "))"
    }

    /// For the help: the name, and what is to be added to the command without a disturbance.
    static var discussion: String {
        let lines = all.map { recipe in
            let words = [recipe.run, recipe.serve, recipe.pattern.map { "--disturb \"\($0)\"" }].compactMap { $0 }
            let name = recipe.name.padding(24)
            return "  \(name) \(words.isEmpty ? "(nothing)" : words.joined(separator: " "))"
        }
        return """
            RECIPES. Each disturbance can be repeated alone. The command is
              \(all[0].command)
            and to it is added, for 'run' before the two dashes and for 'serve' at the end:

            """ + lines.joined(separator: "\n")
    }
}

extension String {
    fileprivate func padding(_ columns: Int) -> String {
        self + String(repeating: " ", count: max(0, columns - count))
    }
}
