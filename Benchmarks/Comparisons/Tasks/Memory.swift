import ComparisonSupport

/// What a million that are held take, and what of it stays when all are ended.
enum Memory {
    static func measure<C: Contender>(_: C.Type) -> (bytesEach: Double, keptShare: Double?) {
        let live = 1_000_000
        var order = Array(0..<live)
        var random = Shuffle(state: 42)
        order.shuffle(using: &random)
        let contender = C(slots: live, threads: 1)
        // Its threads and tables are there before the counting.
        for slot in 0..<100 { contender.begin(slot) }
        for slot in 0..<100 { contender.end(slot) }
        settle(contender)
        let empty = residentBytesAfterTrim()
        let due = monotonicNanoseconds() + 3_600_000_000_000
        for slot in 0..<live { contender.begin(slot, due: due, word: slot) }
        settle(contender)
        let full = residentBytesAfterTrim()
        guard C.endsInConstantTime else { return (Double(full - empty) / Double(live), nil) }
        for slot in order { contender.end(slot) }
        settle(contender)
        let kept = max(0, residentBytesAfterTrim() - empty)
        guard Firings.fired == 0 else { stop("\(Firings.fired) expired an hour early") }
        return (Double(full - empty) / Double(live), 100 * Double(kept) / Double(full - empty))
    }

    /// What others do on threads of their own has come to an end too.
    private static func settle(_ contender: some Contender) {
        contender.settle()
        pause(nanoseconds: 300_000_000)
    }
}
