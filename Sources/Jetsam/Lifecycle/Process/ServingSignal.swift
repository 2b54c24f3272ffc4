/// The signal by which the manager learns that the servers of its group take connections.
///
/// A group starts its services and does not know when they listen. If a process called itself ready before, its first connections
/// would be refused.
public enum ServingSignal: Sendable, Hashable, CustomStringConvertible {
    /// The application calls ``ResourceManager/didStartServing()`` when the last of its servers listens, such as in
    /// Hummingbird's `onServerRunning`.
    case reported

    /// The manager looks every 50 ms whether each of these TCP ports is listened to, by any process of this network
    /// namespace. It makes no connection. ``ResourceManager/didStartServing()`` ends the search.
    case listening(onPorts: [UInt16])

    /// The group has started the servers: for those that take work from elsewhere, such as a queue, and listen to nothing.
    case started

    /// The signal in a few words.
    public var description: String {
        switch self {
        case .reported: "didStartServing() is called"
        case .started: "the group has started the servers"
        case .listening(let ports): "something listens on \(ports.map { "port \($0)" }.joined(separator: " and "))"
        }
    }
}
