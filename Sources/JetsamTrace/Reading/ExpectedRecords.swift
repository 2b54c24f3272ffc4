internal import Jetsam
internal import MemoryPressure

/// The records of one decision.
struct ExpectedRecords: RecordReceiver {
    var events: [TraceEvent] = []

    mutating func receive(_ record: some Record) {
        switch record {
        case let record as LevelRecord: events.append(.level(record))
        case let record as DemandRecord: events.append(.demand(record))
        case let record as RegrowthRecord: events.append(.regrowth(record))
        case let record as LadderRecord: events.append(.ladder(record))
        case let record as LookRecord: events.append(.look(record))
        default: break
        }
    }
}
