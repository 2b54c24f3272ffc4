import Jetsam
import MemoryPressure

/// What happens in a world, as invariants and the digest hear of it.
enum WorldEvent {
    case levelChanged(LevelChange)
    /// A cache's release handler was called.
    case asked(SimulatedCache, bytes: Int, level: PressureLevel)
    /// It came back; nothing is answered where it threw.
    case answered(SimulatedCache, asked: Int, answer: Int)
    /// A cache's limit handler was called.
    case limited(SimulatedCache, bytes: Int?)
    /// A cache gave bytes.
    case gave(SimulatedCache, bytes: Int)
    /// A step of any stage was told.
    case step(ReclaimStep)
    case taskBegan(SimulatedTasks.Work)
    case taskExpired(SimulatedTasks.Work)
    case taskEnded(SimulatedTasks.Work)
    /// A scene hears that it is lost because memory is short.
    case sceneTold(SimulatedScenes.Room)
    case lastResort(LevelReason)
    /// The kernel ended the process.
    case killed
    /// The process ended by itself.
    case left
    /// Comes all the time, four times a second.
    case look
}
