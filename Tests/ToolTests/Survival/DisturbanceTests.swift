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
        #expect(throws: Never.self) { try StressPattern("\(words) --delay 5000ms") }
    }

    @Test("A run takes at most 20 s, but for those that have to be slow")
    func length() {
        for disturbance in Disturbance.all where !disturbance.name.hasPrefix("leak-") {
            #expect(disturbance.warmUp + disturbance.length <= .seconds(20), "\(disturbance.name)")
        }
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
