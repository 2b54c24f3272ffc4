/// How many runs each way gets under each disturbance.
struct RunCounts: Equatable {
    /// Of the way jetsam; nil for as many as are usual.
    var jetsam: Int?
    /// Of each other way; nil likewise.
    var peers: Int?
    var isQuick = false

    func runs(_ disturbance: Disturbance, _ way: Way) -> Int {
        if let chosen = way == .jetsam ? jetsam : peers { return chosen }
        if isQuick { return disturbance.quickRuns?[way] ?? (way == .jetsam ? 3 : 1) }
        return way == .jetsam ? 5 : 2
    }
}
