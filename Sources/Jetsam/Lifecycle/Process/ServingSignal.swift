/// The signal by which the manager learns that the servers of its group take connections.
///
/// A group starts its services and does not know when they listen. If a process called itself ready before, its first connections
/// would be refused.
public struct ServingSignal: Sendable, Hashable, CustomStringConvertible {
    enum Code: Sendable, Hashable {
        case reported, started
        case listening([UInt16])
    }

    let code: Code

    /// The application calls ``ResourceManager/didStartServing()`` when the last of its servers listens, such as in
    /// Hummingbird's `onServerRunning`.
    public static let reported = ServingSignal(code: .reported)

    /// The manager looks every 50 ms whether each of these TCP ports is listened to, by any process of this network
    /// namespace. It makes no connection. ``ResourceManager/didStartServing()`` ends the search.
    public static func listening(onPorts ports: UInt16...) -> ServingSignal {
        ServingSignal(code: .listening(ports))
    }

    /// The group has started the servers: for those that take work from elsewhere, such as a queue, and listen to nothing.
    public static let started = ServingSignal(code: .started)

    /// The signal in a few words.
    public var description: String {
        switch code {
        case .reported: "didStartServing() is called"
        case .started: "the group has started the servers"
        case .listening(let ports): "something listens on \(ports.map { "port \($0)" }.joined(separator: " and "))"
        }
    }
}
