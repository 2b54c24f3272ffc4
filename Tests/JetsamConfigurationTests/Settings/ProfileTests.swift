import Jetsam
import Testing

@testable import JetsamConfiguration

struct ProfileTests {
    @Test(
        "Each profile is a good file that says the same, with a reason for each setting",
        arguments: Profile.all.map(\.name))
    func profiles(name: String) throws {
        let profile = try #require(Profile.named(name))
        #expect(profile.settings.problems == [])
        let report = CheckReport(checking: Array(profile.text.utf8))
        #expect(report.problems == [])
        #expect(report.settings == profile.settings)
        let changed = Setting.differences(between: profile.settings, and: JetsamSettings()).map(\.key)
        #expect(Set(changed) == Set(profile.reasons.keys))
        #expect(changed.isEmpty == (name == "default"))
        for reason in profile.reasons.values { #expect(profile.text.contains("# \(reason)\n")) }
        #expect(profile.explanation.hasSuffix("."))
    }

    @Test("The documentation has each profile with its explanation")
    func documented() throws {
        let page = try Page.read("Sources/JetsamConfiguration/Documentation.docc/Configuration.md")
        for profile in Profile.all { #expect(page.contains("| `\(profile.name)` | \(profile.explanation) |")) }
    }

    @Test("The profiles differ in the direction that they say")
    func directions() {
        let (small, keep, plain) = (Profile.smallContainer.settings, Profile.keepCaches.settings, JetsamSettings())
        #expect(small.manager.headroom.warningMinimumBytes < plain.manager.headroom.warningMinimumBytes)
        #expect(small.manager.reclaim.sharePercent > plain.manager.reclaim.sharePercent)
        #expect(keep.manager.headroom.warningPercent < plain.manager.headroom.warningPercent)
        #expect(keep.manager.reclaim.sharePercent < plain.manager.reclaim.sharePercent)
    }
}
