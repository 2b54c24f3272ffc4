/// How many runs each way gets under each disturbance, and which budget a fixed cache has.
struct RunPlan: Equatable {
    /// Of the way jetsam; nil for as many as are usual.
    var jetsam: Int?
    /// Of each other way; nil likewise.
    var peers: Int?
    var isQuick = false
    /// The budget of the way fixed under every disturbance, in bytes; nil for the largest that survives each.
    var budgetBytes: Int?

    func runs(_ disturbance: Disturbance, _ way: Way) -> Int {
        if let chosen = way == .jetsam ? jetsam : peers { return chosen }
        if isQuick { return disturbance.quickRuns?[way] ?? (way == .jetsam ? 3 : 1) }
        return way == .jetsam ? 5 : 2
    }
}
