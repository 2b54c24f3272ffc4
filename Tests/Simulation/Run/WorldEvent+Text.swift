import Jetsam
import MemoryPressure

extension WorldEvent {
    /// A line for those who follow a world; nil for what comes all the time.
    var text: String? {
        switch self {
        case .levelChanged(let change): "\(change)"
        case .asked(let cache, let bytes, let level):
            "\(cache.plan.name) is asked for \(ByteCount(bytes)) of \(ByteCount(cache.bytes)) at \(level)"
        case .answered(let cache, let asked, let answer):
            "\(cache.plan.name) answers \(ByteCount(answer)) of \(ByteCount(asked))"
        case .limited(let cache, let bytes):
            "\(cache.plan.name) is limited to \(bytes.map { "\(ByteCount($0))" } ?? "nothing")"
        case .step(let step): "\(step)"
        case .taskExpired(let work): "task \(work.number) (\(work.priority)) expires"
        case .sceneTold(let room): "scene \(room.identifier) is told that it is lost"
        case .lastResort(let reason): "last resort: \(reason)"
        case .killed: "killed"
        case .left: "left"
        case .gave, .taskBegan, .taskEnded, .look: nil
        }
    }
}
