internal import MemoryPressure

extension Diagnosis {
    /// One sentence: can it work here, and with what.
    var verdict: String {
        let used = sources.filter(\.status.isUsed)
        guard isUsable, let reading else {
            guard let first = sources.first(where: { $0.kind == .reading && !$0.status.isUsed }) else {
                return "Nothing is available."
            }
            let reason = "\(first.name): \(first.reason ?? "")"
            return used.isEmpty
                ? "Nothing is available: \(reason)."
                : "Jetsam cannot work here: no signal shows how much memory is left (\(reason))."
        }
        let room = "\(ByteCount(reading.headroomBytes)) of \(ByteCount(reading.limitBytes)) left"
        var means = [reading.isLimited ? "headroom (\(room))" : "the machine's headroom (\(room))"]
        let wakeUps = used.filter { $0.kind == .wakeUp }.map(\.name)
        means += wakeUps
        if wakeUps.isEmpty || wakeUps == ["\(MemorySignalSource.systemdWatch)"] {
            means.append("the sampler alone to look")
        }
        if !wakeUps.contains("\(MemorySignalSource.pressureTrigger)"), isUsed(.pressureTotals) {
            means.append("stall times that are read")
        }
        return "Jetsam can work here with: \(means.joined(separator: ", "))."
    }

    private func isUsed(_ source: MemorySignalSource) -> Bool {
        sources.contains { $0.kind == .reading && $0.status.source == source && $0.status.isUsed }
    }
}
