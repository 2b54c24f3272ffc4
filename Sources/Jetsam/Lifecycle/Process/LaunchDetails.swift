/// The starter and the arguments of the process, as the environment tells them, and the parts of these that cannot be used. Pure.
struct LaunchDetails: Sendable, Equatable {
    /// The first descriptor that a supervisor passes: `SD_LISTEN_FDS_START` of sd_listen_fds(3).
    private static let firstDescriptor: Int32 = 3
    /// More descriptors than this are taken for a mistake.
    static let mostSockets = 4096

    var reason: LaunchReason
    /// A sentence for each thing that was passed and is not told, for the log.
    private(set) var problems: [String] = []

    /// - Parameters:
    ///   - variables: Those of ``LaunchReason/variables``.
    ///   - arguments: The command line's, without the program.
    ///   - processID: This process's: variables that were meant for a parent are inherited, too.
    init(variables: [String: String], arguments: [String], processID: Int32) {
        reason = LaunchReason(starter: .operator)
        reason.arguments = arguments
        reason.sockets = sockets(variables, processID)
        reason.trigger = Self.trigger(variables)
        reason.payload = payload(variables)
        reason.starter = Self.starter(variables, hasSockets: !reason.sockets.isEmpty)
    }

    private static func starter(_ variables: [String: String], hasSockets: Bool) -> LaunchReason.Starter {
        if hasSockets { return .socket }
        let unit = variables["TRIGGER_UNIT"] ?? ""
        if unit.hasSuffix(".socket") { return .socket }
        let timers = ["TRIGGER_TIMER_REALTIME_USEC", "TRIGGER_TIMER_MONOTONIC_USEC"]
        if unit.hasSuffix(".timer") || timers.contains(where: { variables[$0] != nil }) { return .timer }
        let supervisors = ["INVOCATION_ID", "NOTIFY_SOCKET", "KUBERNETES_SERVICE_HOST"]
        return supervisors.contains { variables[$0] != nil } ? .supervisor : .operator
    }

    private mutating func sockets(_ variables: [String: String], _ processID: Int32) -> [LaunchReason.Socket] {
        guard let number = variables["LISTEN_FDS"], let meantFor = variables["LISTEN_PID"] else { return [] }
        guard Int32(meantFor) == processID else { return [] }
        guard let count = Int(number), (0...Self.mostSockets).contains(count) else {
            problems.append(
                "LISTEN_FDS is '\(String(number.prefix(32)).onOneLine)', but must be a number in 0…\(Self.mostSockets): no socket is passed on"
            )
            return []
        }
        var names: [String] = []
        if let text = variables["LISTEN_FDNAMES"], count > 0 {
            names = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            if names.count != count {
                let named = "\(names.count) \(names.count == 1 ? "name" : "names")"
                let passed = "\(count) \(count == 1 ? "descriptor" : "descriptors")"
                problems.append(
                    "LISTEN_FDNAMES has \(named) for the \(passed) of LISTEN_FDS: no socket is passed on")
                names = []
            }
        }
        return (0..<count).map { index in
            let name = names.isEmpty || names[index].isEmpty ? LaunchReason.Socket.unnamed : names[index]
            return LaunchReason.Socket(descriptor: Self.firstDescriptor + Int32(index), name: name)
        }
    }

    private static func trigger(_ variables: [String: String]) -> LaunchReason.Trigger? {
        let elapsed = variables["TRIGGER_TIMER_REALTIME_USEC"].flatMap { Int64($0) }
        let path = variables["TRIGGER_PATH"]
        guard let unit = variables["TRIGGER_UNIT"] ?? (elapsed == nil && path == nil ? nil : "") else { return nil }
        return LaunchReason.Trigger(unit: unit, path: path, elapsedSince1970: elapsed.map { .microseconds($0) })
    }

    private mutating func payload(_ variables: [String: String]) -> String? {
        guard let payload = variables[LaunchReason.payloadVariable] else { return nil }
        let count = payload.utf8.count
        guard count <= LaunchReason.maximumPayloadBytes else {
            problems.append(
                "\(LaunchReason.payloadVariable) has \(count) bytes, but may have no more than \(LaunchReason.maximumPayloadBytes): no payload is passed on"
            )
            return nil
        }
        return payload
    }
}
