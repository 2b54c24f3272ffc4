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

    @Test("Every setting is found from itself with a character missing, and with two swapped")
    func finds() {
        let names = Setting.all.map(\.key)
        for key in names {
            var characters = Array(key)
            let middle = characters.count / 2
            characters.swapAt(middle, middle - 1)
            let swapped = String(characters)
            characters.remove(at: middle)
            #expect(EditDistance.nearest(to: swapped, among: names) == key)
            let missing = EditDistance.nearest(to: String(characters), among: names)
            #expect(
                missing.map { EditDistance.between(Array($0.utf8), characters.map { $0.asciiValue ?? 0 }) <= 2 } == true
            )
        }
    }
}
