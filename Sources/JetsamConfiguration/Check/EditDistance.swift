/// The number of characters that have to be inserted, removed, replaced or swapped with the next to make one text of another.
enum EditDistance {
    /// The name that is nearest to `text`, where a third of it or less has to be changed; the first among equals.
    static func nearest(to text: String, among names: [String]) -> String? {
        let most = max(1, text.count / 3)
        var best: (name: String, distance: Int)?
        for name in names {
            let distance = between(Array(text.lowercased().utf8), Array(name.lowercased().utf8))
            if distance <= min(most, (best?.distance ?? .max) - 1) { best = (name, distance) }
        }
        return best?.name ?? names.first { $0.lowercased().hasSuffix("." + text.lowercased()) }
    }

    static func between(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...second.count)
        for (row, byte) in first.enumerated() {
            var next = [row + 1]
            for (column, other) in second.enumerated() {
                var least = min(last[column] + (byte == other ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, byte == second[column - 1], first[row - 1] == other {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, last) = (last, next)
        }
        return last[second.count]
    }
}
