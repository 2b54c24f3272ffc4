internal import MemoryPressure

/// The reason why a request by the control socket was not carried out.
package struct ControlRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The word that a program goes by.
    package var code: String
    /// One sentence for people.
    package var message: String

    package var description: String { message }

    /// The request cannot be understood.
    package static func badRequest(_ message: String) -> ControlRefusal { .init(code: "badRequest", message: message) }
    /// The request is too long.
    package static let tooLong = ControlRefusal(
        code: "tooLong", message: "a request is a line of at most \(ControlRequest.maximumBytes) bytes")
    /// The request did not come in time.
    package static let late = ControlRefusal(code: "late", message: "the request was not complete in time")
    /// Carrying it out took too long; it may still happen.
    package static let slow = ControlRefusal(
        code: "slow", message: "there was no result in time; the request may still be carried out")
    /// Too many ask.
    package static let busy = ControlRefusal(
        code: "busy", message: "too many ask at once (\(ControlServer.maximumRequests) are answered): try again")
    /// The peer is neither the process's user nor root.
    package static let notAllowed = ControlRefusal(
        code: "notAllowed", message: "only the user of the process and root may ask")
    /// The manager has ended, or is about to.
    package static let notRunning = ControlRefusal(code: "notRunning", message: "the manager is not running")

    var answer: ControlAnswer {
        ControlAnswer("error", .object([("code", .string(code)), ("message", .string(message))]))
    }
}

/// The one line that answers a request: a JSON object with the protocol's version and one more key.
struct ControlAnswer: Sendable {
    /// Goes up where a program that knows the older one could be misled; new keys alone do not change it.
    static let version = 1

    let bytes: [UInt8]

    init(_ key: String, _ value: JSONText) {
        let text = JSONText.object([("version", .integer(Self.version)), (key, value)]).description
        bytes = Array(text.utf8) + [UInt8(ascii: "\n")]
    }
}
