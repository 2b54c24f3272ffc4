import Jetsam
import JetsamTrace
import Testing

@testable import jetsam

@Suite("What makes a configuration better on a trace")
struct AimsTests {
    private func outcome(
        kills: Int = 0, asked: Int = 100 << 20, wasted: Int = 0, warning: Int64 = 10, critical: Int64 = 0
    ) -> Trial.Outcome {
        var outcome = Trial.Outcome()
        outcome.kills = kills
        outcome.purgedBytes = asked
        outcome.releases.wastedBytes = wasted
        outcome.warningTime = warning * 1_000_000_000
        outcome.criticalTime = critical * 1_000_000_000
        return outcome
    }

    private func isBetter(
        _ first: Trial.Outcome, _ second: Trial.Outcome, _ preference: Aims.Preference = .balance
    ) -> Bool {
        Aims(preference: preference).isBetter(first, second, than: outcome())
    }

    @Test("No saving of bytes or of time makes up for a kill", arguments: Aims.Preference.allCases)
    func kills(preference: Aims.Preference) {
        #expect(isBetter(outcome(asked: 900 << 20, critical: 60), outcome(kills: 1, asked: 0, warning: 0), preference))
    }

    @Test("A wasted byte counts as ten that were asked for, and a second at critical as ten at warning")
    func weights() {
        #expect(isBetter(outcome(asked: 189 << 20), outcome(wasted: 10 << 20)))
        #expect(isBetter(outcome(wasted: 10 << 20), outcome(asked: 191 << 20)))
        #expect(
            isBetter(outcome(warning: 19), outcome(critical: 1)) && isBetter(outcome(critical: 1), outcome(warning: 21))
        )
    }

    @Test("Who prefers caches gives time for bytes, and who prefers low pressure bytes for time")
    func preferences() {
        let (quick, careful) = (outcome(asked: 150 << 20, warning: 1), outcome(asked: 120 << 20, warning: 20))
        #expect(isBetter(careful, quick, .keepCaches) && isBetter(quick, careful, .leastPressure))
        #expect(isBetter(quick, careful))
    }

    @Test("One that wastes more does not dominate; one that is equal in all respects does not either")
    func dominates() {
        #expect(outcome(asked: 1).dominates(outcome()) && !outcome().dominates(outcome(asked: 1)))
        #expect(!outcome(asked: 1, wasted: 1).dominates(outcome()) && !outcome().dominates(outcome()))
        #expect(outcome(asked: 1).dominates(outcome(asked: 1, wasted: 1)))
    }
}
