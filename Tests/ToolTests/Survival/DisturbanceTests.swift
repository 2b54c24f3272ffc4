import ArgumentParser
import Testing
import _StressPatterns

@testable import jetsam_stress

@Suite("The disturbances")
struct DisturbanceTests {
    @Test("Their names are different")
    func names() {
        #expect(Set(Disturbance.all.map(\.name)).count == Disturbance.all.count)
    }

    @Test("Each that takes memory says it in words that jetsam-stress takes", arguments: Disturbance.all.map(\.name))
    func words(name: String) throws {
        let disturbance = try #require(Disturbance.all.first { $0.name == name })
        guard let words = disturbance.inside ?? disturbance.beside else { return }
        #expect(throws: Never.self) { try StressPattern(words) }
        #expect(throws: Never.self) { try StressPattern("\(words) --delay 0s") }
    }

    @Test("A run that fills its caches in five seconds takes at most 20 s, but for those that have to be slow")
    func length() {
        for disturbance in Disturbance.all
        where !disturbance.name.hasPrefix("leak-") && !disturbance.isExtra && disturbance.name != "waves" {
            #expect(disturbance.length <= .seconds(15), "\(disturbance.name)")
        }
    }

    @Test("The quick runs take less than 20 minutes where caches fill in five seconds and nobody is killed")
    func quick() {
        let counts = RunPlan(isQuick: true)
        let time = Disturbance.all.filter { $0.quickRuns != nil }.reduce(Duration.zero) { sum, disturbance in
            // One that leaks to its end is killed, or leaves, after 40 s at most.
            let run = min(disturbance.length, .seconds(38)) + .seconds(5)
            // What nothing looks after is killed within ten seconds.
            let others = counts.runs(disturbance, .cleared) + counts.runs(disturbance, .jetsam)
            return sum + run * others + .seconds(10) * counts.runs(disturbance, .nothing)
        }
        #expect(time < .seconds(20 * 60), "\(time)")
    }

    @Test("What is asked for goes before what is usual")
    func counts() throws {
        let growth = try #require(Disturbance.all.first { $0.name == "growth" })
        #expect(RunPlan().runs(growth, .jetsam) == 5)
        #expect(RunPlan().runs(growth, .cleared) == 2)
        let chosen = RunPlan(jetsam: 7, peers: 4, isQuick: true)
        #expect(chosen.runs(growth, .jetsam) == 7)
        #expect(chosen.runs(growth, .nothing) == 4)
        var restless = growth
        restless.quickRuns = [.jetsam: 9]
        #expect(RunPlan(isQuick: true).runs(restless, .jetsam) == 9)
        #expect(RunPlan(isQuick: true).runs(restless, .cleared) == 1)
        #expect(RunPlan().runs(restless, .jetsam) == 5)
        restless.quickRuns = [.cleared: 0]
        #expect(RunPlan(isQuick: true).runs(restless, .cleared) == 0, "what a few runs do not tell is left out")
        #expect(RunPlan(peers: 2, isQuick: true).runs(restless, .cleared) == 2)
    }

    @Test("What takes minutes runs only where it is named", arguments: [[], ["--quick"]])
    func extras(words: [String]) throws {
        func chosen(_ words: [String]) throws -> [Disturbance] {
            try SurviveCommand.parse(["--server", "/bin/true", "--script", "/dev/null"] + words).chosenDisturbances()
        }
        #expect(try chosen(words).allSatisfy { !$0.isExtra })
        #expect(try chosen(words + ["--only", "beside-2,growth"]).map(\.name) == ["beside-2", "growth"])
    }

    @Test("Wrong choices are refused, and what is allowed is said")
    func choices() {
        func refusal(_ words: [String]) -> String {
            do {
                _ = try SurviveCommand.parse(["--server", "/bin/true", "--script", "/dev/null"] + words)
                return ""
            } catch { return SurviveCommand.message(for: error) }
        }
        #expect(refusal(["--only", "storm"]).contains("there is no disturbance 'storm'; allowed are growth, "))
        #expect(refusal(["--ways", "hope"]).contains("allowed are nothing, fixed, nscache, cleared, jetsam"))
        #expect(refusal(["--repeat", "0"]).contains("1…100, not 0"))
        #expect(refusal(["--resume"]).contains("--json"))
    }
}
