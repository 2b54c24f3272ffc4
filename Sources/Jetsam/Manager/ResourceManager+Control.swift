internal import Logging
internal import MemoryPressure

extension ResourceManager {
    /// Does `body` with the control socket there, where one is configured. If the socket is not possible, the log says so, and
    /// the manager runs without it.
    func withControlSocket<Result>(_ body: () async throws -> Result) async throws -> Result {
        let server = startControlServer()
        do {
            let result = try await body()
            await server?.stop()
            return result
        } catch {
            await server?.stop()
            throw error
        }
    }

    private func startControlServer() -> ControlServer? {
        guard configuration.control.isEnabled else { return nil }
        do throws(ControlSocketError) {
            guard
                let directory = configuration.control.directory
                    ?? ControlSocket.defaultDirectory(environment.variables)
            else {
                throw ControlSocketError("XDG_RUNTIME_DIR is not set, and neither is control.directory")
            }
            let socket = try ControlSocket(directory: directory, process: environment.processID)
            let gate = ControlGate(owner: ControlGate.ownUser, unmapped: ControlGate.unmappedUser(in: KernelRoot()))
            let server = try ControlServer(
                socket: socket, gate: gate, handler: ManagerControl(manager: self), threads: environment.threads)
            try server.start()
            files.watch(server)
            logger.info("Control socket \(socket.path)")
            return server
        } catch {
            logger.warning("There is no control socket: \(error)")
            return nil
        }
    }
}

/// Answers what the control socket asks of a manager.
private struct ManagerControl: ControlHandler {
    let manager: ResourceManager

    func perform(_ request: ControlRequest, reply: @escaping @Sendable (ControlAnswer) -> Void) {
        if request != .status {
            manager.logger.notice("Request on the control socket", metadata: ["request": "\(request)"])
        }
        switch request {
        case .status:
            reply(ControlAnswer("status", manager.status.report(process: manager.environment.processID)))
        case .simulate(let level, let time):
            manager.simulate(level, for: time)
            reply(
                ControlAnswer(
                    "simulated",
                    .object([
                        ("level", .string("\(level)")),
                        ("seconds", time.map { .number(Double($0.milliseconds) / 1000) } ?? .null),
                    ])))
        case .dryRun(let isOn):
            manager.setDryRun(isOn)
            reply(ControlAnswer("dryRun", .object([("isOn", .bool(isOn))])))
        case .expire(let name):
            let isDryRun = manager.status.isDryRun
            let count = isDryRun ? 0 : manager.backgroundTasks.expireTasks(named: name)
            reply(ControlAnswer("expired", .object([("notified", .integer(count)), ("isDryRun", .bool(isDryRun))])))
        case .release(let bytes) where manager.status.isDryRun:
            reply(
                ControlAnswer(
                    "released",
                    .object([
                        ("targetBytes", .integer(bytes)), ("promisedBytes", .integer(0)),
                        ("returnedBytes", .integer(0)),
                        ("isDryRun", .bool(true)),
                    ])))
        case .release(let bytes):
            Task { [manager] in
                let step = await manager.releaseCaches(bytes: bytes)
                reply(step.map { ControlAnswer("released", $0.report(ago: .zero)) } ?? ControlRefusal.notRunning.answer)
            }
        case .prepare(let bytes, let time):
            Task { [manager] in
                let preparation = await manager.prepareForLimit(bytes, holding: time)
                let isAnswered = preparation != nil || bytes == nil
                reply(
                    isAnswered
                        ? ControlAnswer("prepared", preparation?.report ?? .object([("limitBytes", .null)]))
                        : ControlRefusal.notRunning.answer)
            }
        }
    }
}
