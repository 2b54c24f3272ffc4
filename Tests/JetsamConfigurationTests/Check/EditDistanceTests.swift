import Testing

@testable import JetsamConfiguration

struct EditDistanceTests {
    @Test(
        "Inserting, removing, replacing and swapping neighbours cost one each",
        arguments: [
            ("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("abc", "abd", 1), ("abc", "ab", 1), ("abc", "acb", 1),
            ("kitten", "sitting", 3), ("ca", "abc", 3),
        ])
    func distances(first: String, second: String, distance: Int) {
        #expect(EditDistance.between(Array(first.utf8), Array(second.utf8)) == distance)
        #expect(EditDistance.between(Array(second.utf8), Array(first.utf8)) == distance)
    }

    @Test(
        "Every setting is found from itself with one character missing or two swapped",
        arguments: Setting.all.map(\.key))
    func finds(key: String) {
        let names = Setting.all.map(\.key)
        for index in key.indices.dropFirst() {
            var missing = key
            missing.remove(at: index)
            if names.contains(missing) { continue }
            let found = EditDistance.nearest(to: missing, among: names)
            #expect(found.map { EditDistance.between(Array($0.utf8), Array(missing.utf8)) <= 1 } == true)
        }
    }
}
