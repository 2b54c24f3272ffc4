internal import MemoryPressure

/// One record of a trace, whichever kind it is.
package enum TraceEvent: Equatable, Sendable {
    indirect case trace(TraceHeader)
    case reading(ReadingRecord)
    case notice(NoticeRecord)
    case level(LevelRecord)
    case demand(DemandRecord)
    case regrowth(RegrowthRecord)
    case ladder(LadderRecord)
    case look(LookRecord)
    case run(RunRecord)
    case client(ClientRecord)
    case turn(TurnRecord)
    case answer(AnswerRecord)
    case trimmed(TrimmedRecord)
    case segments(ReleasedSegmentsRecord)
    case hurry(HurryRecord)
    case step(StepRecord)
    case cache(CacheRecord)
    case counts(CountsRecord)
    case process(ProcessRecord)
    case scene(SceneRecord)
    case snapshot(SnapshotRecord)
    case lost(LostRecord)
    case model(ModelRecord)

    /// Writes its line.
    package func write(to writer: inout TraceLineWriter, at instant: MonotonicInstant) {
        switch self {
        case .trace(let record): writer.append(record, at: instant)
        case .reading(let record): writer.append(record, at: instant)
        case .notice(let record): writer.append(record, at: instant)
        case .level(let record): writer.append(record, at: instant)
        case .demand(let record): writer.append(record, at: instant)
        case .regrowth(let record): writer.append(record, at: instant)
        case .ladder(let record): writer.append(record, at: instant)
        case .look(let record): writer.append(record, at: instant)
        case .run(let record): writer.append(record, at: instant)
        case .client(let record): writer.append(record, at: instant)
        case .turn(let record): writer.append(record, at: instant)
        case .answer(let record): writer.append(record, at: instant)
        case .trimmed(let record): writer.append(record, at: instant)
        case .segments(let record): writer.append(record, at: instant)
        case .hurry(let record): writer.append(record, at: instant)
        case .step(let record): writer.append(record, at: instant)
        case .cache(let record): writer.append(record, at: instant)
        case .counts(let record): writer.append(record, at: instant)
        case .process(let record): writer.append(record, at: instant)
        case .scene(let record): writer.append(record, at: instant)
        case .snapshot(let record): writer.append(record, at: instant)
        case .lost(let record): writer.append(record, at: instant)
        case .model(let record): writer.append(record, at: instant)
        }
    }

    /// Reads one from the flight recorder's bytes; nil where they are none of these, or not whole.
    package init?(kind: TraceKind, bytes: some Collection<UInt8>) {
        func read<Contents: Record>(_ make: (Contents) -> TraceEvent) -> TraceEvent? {
            RecordBytes.read(Contents.self, from: bytes).map(make)
        }
        let event: TraceEvent? =
            switch kind {
            case .trace: nil
            case .reading: read(TraceEvent.reading)
            case .notice: read(TraceEvent.notice)
            case .level: read(TraceEvent.level)
            case .demand: read(TraceEvent.demand)
            case .regrowth: read(TraceEvent.regrowth)
            case .ladder: read(TraceEvent.ladder)
            case .look: read(TraceEvent.look)
            case .run: read(TraceEvent.run)
            case .client: read(TraceEvent.client)
            case .turn: read(TraceEvent.turn)
            case .answer: read(TraceEvent.answer)
            case .trimmed: read(TraceEvent.trimmed)
            case .segments: read(TraceEvent.segments)
            case .hurry: read(TraceEvent.hurry)
            case .step: read(TraceEvent.step)
            case .cache: read(TraceEvent.cache)
            case .counts: read(TraceEvent.counts)
            case .process: read(TraceEvent.process)
            case .scene: read(TraceEvent.scene)
            case .snapshot: read(TraceEvent.snapshot)
            case .lost: read(TraceEvent.lost)
            case .model: read(TraceEvent.model)
            }
        guard let event else { return nil }
        self = event
    }
}
