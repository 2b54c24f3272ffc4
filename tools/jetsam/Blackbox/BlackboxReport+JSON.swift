internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

extension BlackboxReport {
    /// All of it, or the last so many records.
    func json(last: Int?) -> JSONText {
        let run = recording.run
        return .object([
            ("path", .string(file.path)),
            ("live", .bool(file.isLive)),
            ("end", .string(exit.map { "\($0.reason)" })),
            ("state", .string(recording.state.map { "\($0)" })),
            (
                "run",
                .object([
                    ("pid", .integer(Int(run.processID))), ("processStart", .integer(Int(clamping: run.processStart))),
                    ("bootID", .string(bootID)), ("startedAt", .integer(Int(run.wallClock))),
                    ("start", .integer(Int(run.start.nanoseconds))),
                    ("cgroupInode", .integer(run.cgroup.map { Int(clamping: $0.inode) })),
                    ("oomKills", .integer(run.cgroup?.oomKills.map { Int(clamping: $0) })),
                    ("slots", .integer(run.slots)),
                ])
            ),
            ("underWay", underWay),
            ("begun", .integer(Int(clamping: recording.begun))),
            ("read", .integer(recording.records.count)),
            ("torn", .integer(recording.torn)),
            ("missing", .integer(Int(clamping: recording.missing))),
            ("dropped", .integer(Int(clamping: recording.dropped))),
            ("lostSlots", .integer(recording.lostSlots)),
            ("records", .array(recording.records.suffix(last ?? .max).map(row))),
        ])
    }

    private var underWay: JSONText {
        guard let (instant, state) = recording.lastState else { return .null }
        return .object([
            ("time", .integer(Int(time(instant)))),
            ("level", .string("\(state.level)")),
            ("headroomBytes", .integer(state.headroomBytes)),
            ("limitBytes", .integer(state.limitBytes)),
            ("footprintBytes", .integer(state.footprintBytes)),
            ("reclaiming", .bool(state.isReclaiming)),
            ("headroomCritical", .bool(state.isHeadroomCritical)),
            ("lastResortCalled", .bool(state.isLastResortCalled)),
            ("draining", .bool(state.isDraining)),
            ("heldTasks", .integer(state.heldTasks)),
            ("taskNames", .array(heldTaskNames.map { .string($0) })),
            ("oomKills", .integer(state.oomKills.map { Int(clamping: $0) })),
        ])
    }

    private func row(_ record: RecordingContents.Record) -> JSONText {
        .object([
            ("sequence", .integer(Int(clamping: record.sequence))),
            ("time", .integer(Int(time(record.instant)))),
            ("kind", .integer(Int(record.kind.rawValue))),
            ("name", .string(Self.name(record.kind))),
            ("text", .string(RecordText.of(record))),
            ("payload", .string(Self.hexadecimal(record.payload))),
        ])
    }
}
