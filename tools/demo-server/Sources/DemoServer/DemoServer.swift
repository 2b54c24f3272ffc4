internal import ArgumentParser
internal import Hummingbird
internal import Jetsam
internal import JetsamConfiguration
internal import JetsamHummingbird
internal import JetsamPrometheus
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import SystemPackage
internal import UnixSignals
internal import _StressPatterns

@main
struct DemoServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-server",
        abstract: "An HTTP server with a read-through cache, to see what its memory does under load.",
        discussion: """
            Answers /, which lists the routes: values from the cache, work that holds a background task, metrics and probes. \
            Once it listens it writes one line to standard output, "listening on http://HOST:PORT". SIGTERM or \
            SIGINT ends it in order, with status 0: not ready, requests in flight finished, background tasks ended or told in \
            time. Where --hold or --hold-forever were given, a last line says how often their handlers were called.
            """)

    @Option(
        help: """
            What to do about memory: unbounded keeps every value, fixed keeps to --budget, nscache is Foundation's cache, \
            cleared is emptied at each memory warning, jetsam is managed.
            """)
    var mode: Mode = .jetsam

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 takes any free one.")
    var port = 8080

    @Option(help: "In mode fixed: bytes that the cache may hold.")
    var budget = ByteSize(256 << 20)

    @Option(help: "In mode jetsam: the budget of the process in bytes, if no cgroup limits it.")
    var footprintBudget: ByteSize?

    @Option(help: "The number of keys, from 0 on.")
    var keys = 200_000

    @Option(help: "Bytes of a value.")
    var valueSize = ByteSize(16 << 10)

    @Option(help: "Rounds of mixing behind each eight bytes of a value; 16 make a miss of 16 KiB cost about 150 µs.")
    var missCost = 16

    @Option(help: "A file for the timeline: a line of JSON for each change of level or state and step of reclaim.")
    var events: String?

    @Option(
        help: .init(
            """
            A file for samples, fifty a second. A line is: nanoseconds of the monotonic clock; bytes that the cache keeps; \
            requests answered from it; those for which the value was made; bytes given back because memory was short; bytes \
            of these made again within ten seconds; microseconds of CPU time; the level, 0 for normal, 1 for warning and 2 \
            for critical.
            """, valueName: "file"))
    var samples: String?

    // The words begin with a dash.
    @Option(
        parsing: .unconditional,
        help: .init(
            """
            Takes memory in this process, beside the cache, once the server listens: the words that jetsam-stress takes, such \
            as "--pattern ramp --rate 50MB/s --limit 200MiB --delay 5s".
            """, valueName: "words"))
    var disturb: String?

    @Flag(help: "Begins --disturb at SIGUSR1 instead of when the server listens.")
    var disturbAtSignal = false

    @Flag(help: "In mode jetsam: shut down in order when memory is short and nothing is left to give.")
    var lastResort = false

    @Flag(
        help: """
            In mode jetsam: four more caches that never help: one promises what it does not give, one throws, one hangs, and \
            one never answers.
            """)
    var badHandlers = false

    @Option(
        help: "In mode jetsam: a directory for the control socket, by which jetsam watch and others reach the server.")
    var control: String?

    @Option(
        help: .init(
            "In mode jetsam: a configuration file, YAML or JSON. Changes are applied while the server runs, and at once at "
                + "SIGHUP. Variables such as JETSAM_HEADROOM_WARNING_PERCENT override it, and options override both.",
            valueName: "file"))
    var config: String?

    @OptionGroup(title: "Life cycle, in mode jetsam") var lifecycle: LifecycleOptions

    @OptionGroup(title: "Background tasks held, in mode jetsam") var work: HeldWorkOptions

    func validate() throws {
        guard 0...65535 ~= port else { throw ValidationError("--port \(port): allowed are 0 to 65535") }
        guard keys > 0 else { throw ValidationError("--keys \(keys): at least 1 is needed") }
        guard 1...(64 << 20) ~= valueSize.bytes else {
            throw ValidationError("--value-size \(valueSize): allowed are 1 to 64MiB")
        }
        guard 0...1_000_000 ~= missCost else {
            throw ValidationError("--miss-cost \(missCost): allowed are 0 to 1000000")
        }
        if let footprintBudget, footprintBudget.bytes == 0 {
            throw ValidationError("--footprint-budget 0: at least one byte is needed")
        }
        if footprintBudget != nil || config != nil || lastResort || badHandlers, mode != .jetsam {
            throw ValidationError(
                "--footprint-budget, --config, --last-resort and --bad-handlers are for --mode jetsam")
        }
        if disturbAtSignal, disturb == nil { throw ValidationError("--disturb-at-signal needs --disturb") }
        if let control, mode != .jetsam || !control.hasPrefix("/") {
            throw ValidationError("--control \(control): an absolute path is needed, and --mode jetsam")
        }
        if work.total > 0 || lifecycle.needManager, mode != .jetsam {
            throw ValidationError(
                "--hold, --hold-forever, --drain-delay, --scenes, --states and --simulate-pressure are for --mode jetsam"
            )
        }
    }

    func run() async throws {
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        var logger = Logger(label: "demo-server")
        logger.logLevel = .notice
        let log: EventLog
        do {
            log = try EventLog(path: events)
        } catch {
            throw ValidationError("--events \(events ?? ""): the file cannot be written: \(error)")
        }
        log.write("start", [("mode", .text(mode.rawValue))])

        let disturbance = try disturb.map { words in
            do { return try StressPattern(words) } catch { throw ValidationError("--disturb: \(error)") }
        }
        // Waited for before anybody can know that the server listens: until then the signal would end the process.
        if disturbAtSignal { await disturbance?.beginAtSignal(logger: logger) }
        let leaving = LeavingInOrder(log: log)
        let metrics = PrometheusMetrics()
        let memory = try memoryManagement(
            logger: logger, metrics: metrics, lastResort: lastResort ? leaving.begin : nil)
        let readiness = Readiness()
        let responses = Responses(
            cache: memory.cache, origin: Origin(keys: keys, valueSize: valueSize.bytes, rounds: missCost))
        let manager = memory.manager
        let isReady: @Sendable () -> Bool = { manager?.isReady ?? readiness.isReady }
        DemoFigures(responses: responses, isReady: isReady, manager: manager).add(to: metrics)
        let routes = Routes(mode: mode, responses: responses, isReady: isReady, manager: manager, metrics: metrics)
        let atOnce = disturbAtSignal ? nil : disturbance
        var server = Application(
            router: routes.makeRouter(),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { [host, port, logger] channel in
                readiness.serverIsListening()
                // Not with print: it would sit in a buffer where standard output is a pipe or a file.
                let line = "listening on http://\(host):\(channel.localAddress?.port ?? port)\n"
                _ = try? FileDescriptor.standardOutput.writeAll(line.utf8)
                log.write("ready")
                atOnce?.begin(logger: logger)
            },
            logger: logger)
        if let delay = lifecycle.listenDelay {
            server.beforeServerStarts { try await Task.sleep(for: .seconds(delay)) }
        }

        let badHandlers = badHandlers ? BadHandlers() : nil
        let held = HeldWork(work, log: log)
        try held.begin()
        let scenes = DemoScenes(count: lifecycle.scenes ?? 0, log: log)
        manager?.observeLifecycle(
            LifecycleLog(log: log, work: held) { [manager] in if let manager { await scenes.connect(to: manager) } })
        if let simulated = lifecycle.simulatePressure { manager?.simulate(simulated.level) }

        var configuration = groupConfiguration(memory, server: server, readiness: readiness, log: log, logger: logger)
        configuration.gracefulShutdownSignals = [.sigterm, .sigint]
        let sampling = try startSampling(responses, memory)
        let group = ServiceGroup(configuration: configuration)
        leaving.group = group
        try await group.run()
        withExtendedLifetime(badHandlers) {}
        sampling?.end()
        held.report()
        scenes.report()
        log.write("stop")
    }

    private func startSampling(_ responses: Responses, _ memory: MemoryManagement) throws -> Samples? {
        guard let samples else { return nil }
        let isManaged = memory.manager != nil
        do {
            let sampling = try Samples(path: samples, of: responses, level: { memory.levelNumber }) {
                var releases = responses.cache.releases
                if isManaged { releases.releasedBytes = memory.returned.total }
                return releases
            }
            sampling.begin()
            return sampling
        } catch {
            throw ValidationError("--samples \(samples): the file cannot be written: \(error)")
        }
    }

    /// Told to leave in reverse: first not ready, then no more requests, then the background work, and last the
    /// timeline.
    private func groupConfiguration(
        _ memory: MemoryManagement, server: some ApplicationProtocol, readiness: Readiness, log: EventLog,
        logger: Logger
    ) -> ServiceGroupConfiguration {
        guard let manager = memory.manager else {
            return ServiceGroupConfiguration(services: [server, readiness], logger: logger)
        }
        var needs: [any Service] = [Timeline(manager: manager, returned: memory.returned, log: log)]
        if let file = memory.configurationFile {
            needs.append(ConfigurationReload(of: file, to: manager, onSIGHUP: true, logger: logger))
        }
        return manager.serviceGroupConfiguration(needs: needs, servers: [server.managed(by: manager)])
    }
}
