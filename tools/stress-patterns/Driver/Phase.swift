/// One part of what a pattern does.
enum Phase: Hashable {
    /// Does nothing for so long, holding what there is.
    case hold(Duration)
    /// Takes memory, or gives it back, until so many bytes are held.
    case move(toBytes: Int, rate: Rate)
    /// Reads what is held over and over, until the plan's duration is up.
    case walk
    /// Keeps what is held until the plan's duration is up.
    case keep

    /// What a progress line calls it where so many bytes are held.
    func name(holding bytes: Int) -> String {
        switch self {
        case .hold, .keep: "holding"
        case .move(let target, _): target < bytes ? "giving back" : "taking"
        case .walk: "reading"
        }
    }
}
