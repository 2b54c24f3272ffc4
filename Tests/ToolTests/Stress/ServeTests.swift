import ArgumentParser
import CommandOutput
import Jetsam
import JetsamTesting
import MemoryPressure
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

@Suite struct ServeTests {
    @Test("Keys come as often as their place says")
    func zipf() {
        let keys = ZipfKeys(count: 1000, exponent: 0.99)
        var random = SplitMix(state: 1)
        var counts = Array(repeating: 0, count: 1000)
        for _ in 0..<100_000 { counts[keys.next(using: &random)] += 1 }
        // 1 / 7.73, the sum of the first thousand.
        #expect((12_400...13_500).contains(counts[0]))
        #expect(counts[0] > counts[1] && counts[1] > counts[3] && counts[3] > counts[30])
        let even = ZipfKeys(count: 4, exponent: 0)
        counts = [0, 0, 0, 0]
        for _ in 0..<40_000 { counts[even.next(using: &random)] += 1 }
        #expect(counts.allSatisfy { (9_500...10_500).contains($0) })
    }

    @Test("What was not read for the longest time leaves a cache with a budget, and clearing drops the rest")
    func recentlyUsed() {
        let cache = RecentlyUsedCache(keys: 10, budget: 300)
        for key in 0..<3 { cache.store([UInt8](repeating: 1, count: 100), for: key) }
        #expect(cache.read(0) == 2)
        cache.store([UInt8](repeating: 1, count: 100), for: 7)
        #expect(cache.read(1) == nil && cache.read(0) != nil && cache.read(2) != nil && cache.read(7) != nil)
        cache.store([UInt8](repeating: 1, count: 200), for: 7)
        #expect(cache.heldBytes == 300 && cache.read(0) == nil && cache.read(2) != nil)
        cache.store([UInt8](repeating: 1, count: 301), for: 4)
        #expect(cache.heldBytes == 300 && cache.read(4) == nil)
        #expect(cache.clear() == 300)
        #expect(cache.heldBytes == 0 && cache.read(7) == nil)
        cache.store([1], for: 9)
        #expect(cache.heldBytes == 1)
    }

    @Test("Without a budget a cache keeps everything")
    func unlimited() {
        let cache = RecentlyUsedCache(keys: 500, budget: nil)
        for key in 0..<500 { cache.store([7], for: key) }
        #expect(cache.heldBytes == 500 && cache.read(0) == 7)
    }

    @Test("A made value has its size, and is another one for another key")
    func value() {
        let value = ServedValue(bytes: 4096, effort: 3)
        #expect(value.make(1).count == 4096)
        #expect(value.make(1) == value.make(1) && value.make(1) != value.make(2))
    }

    @Test("Every recipe is a command line that is taken", arguments: Recipe.all.map(\.name))
    func recipe(name: String) throws {
        let recipe = try #require(Recipe.all.first { $0.name == name })
        if let pattern = recipe.pattern { _ = try StressPattern(pattern) }
        let serve = ["serve", "--way", "jetsam"] + (recipe.serve ?? "").split(separator: " ").map(String.init)
        #expect(throws: Never.self) { try JetsamStress.parseAsRoot(serve) }
        let run = ["run", "--limit", "512MiB"] + (recipe.run ?? "").split(separator: " ").map(String.init)
        #expect(throws: Never.self) { try JetsamStress.parseAsRoot(run + ["--", "jetsam-stress"] + serve) }
    }

    @Test("The help lists every recipe")
    func help() {
        let help = JetsamStress.helpMessage(for: ServeCommand.self, columns: 300)
        for recipe in Recipe.all { #expect(help.contains("\n  \(recipe.name) ")) }
    }

    @Test("A server serves for as long as it should, in each way", arguments: ServeWay.allCases)
    func way(_ way: ServeWay) async throws {
        let budget = way == .fixed ? ["--budget", "1MiB"] : []
        let tool = try ToolProcess(
            ["serve", "--way", way.rawValue] + budget + [
                "--keys", "200", "--effort", "1", "--fill", "2MiB", "--duration", "500ms", "--json", "--disturb",
                "--pattern ramp --limit 1MiB --hold 0s",
            ], in: TemporaryDirectory())
        #expect(await tool.end() == .exited(0))
        let output = tool.output
        #expect(output.hasPrefix(#"{"way":"\#(way.rawValue)","#) && output.hasSuffix("}\n"))
        let numbers = ["requests", "hits", "cacheBytes", "requestsPerCPUSecond"].map { key in
            output.split(separator: "\"\(key)\":").last.flatMap { Double($0.prefix { $0.isNumber || $0 == "." }) }
        }
        let (requests, hits) = (try #require(numbers[0]), try #require(numbers[1]))
        #expect(hits > 0 && hits <= requests)
        #expect(try #require(numbers[2]) >= Double(1 << 20) && #require(numbers[3]) > 0)
        #expect(output.contains(#""releasedBytes":0,"neededBytes":0,"wastedBytes":0,"wastedShare":0"#))
    }

    @Test("Without a duration the traffic lasts until the disturbance has ended")
    func untilTheEnd() async throws {
        let tool = try ToolProcess(
            [
                "serve", "--way", "nothing", "--keys", "10", "--effort", "1", "--json", "--disturb",
                "--pattern ramp --limit 1MiB --delay 300ms --hold 0s",
            ], in: TemporaryDirectory())
        #expect(await tool.end() == .exited(0))
        let seconds = tool.output.firstMatch(of: /"seconds":([0-9.]+)/).flatMap { Double($0.1) }
        #expect(try #require(seconds) >= 0.3)
    }

    @Test("A disturbance that cannot be is status 2, and says why")
    func disturbance() async throws {
        let tool = try ToolProcess(
            [
                "serve", "--way", "nothing", "--keys", "10", "--disturb",
                "--pattern pagecache --limit 1MiB --directory /nonexistent",
            ], in: TemporaryDirectory())
        #expect(await tool.end() == .exited(2))
        #expect(tool.errors.contains("--disturb: no file can be made in --directory /nonexistent"))
    }

    @Test(
        "A wrong command line is answered with the option and what is allowed",
        arguments: [
            (["--way", "magic"], ["--way", "jetsam"]), (["--way", "fixed"], ["--budget"]),
            (["--way", "nothing", "--budget", "1MiB"], ["--budget", "fixed"]),
            (["--way", "nothing", "--keys", "0"], ["--keys", "1…10000000"]),
            (["--way", "nothing", "--value", "1MiB"], ["--value", "65536"]),
            (["--way", "nothing", "--disturb", "--pattern flood"], ["--disturb", "flood"]),
        ])
    func wrong(arguments: [String], words: [String]) {
        let error = #expect(throws: (any Error).self) { try JetsamStress.parseAsRoot(["serve"] + arguments) }
        guard let error else { return }
        #expect(JetsamStress.exitCode(for: error) == .validationFailure)
        for word in words { #expect(JetsamStress.fullMessage(for: error).contains(word)) }
    }
}
