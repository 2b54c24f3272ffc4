#if NIO || Hummingbird
    import CoreMetrics
    import Jetsam
    import JetsamTesting
    import MetricsTestKit
    import NIOCore
    import Testing

    @testable import JetsamNIO

    struct GateTests {
        @Test("Settings are held to their ranges")
        func bounded() {
            var settings = ConnectionGate.Settings()
            settings.connectionBytes = -1
            settings.idleClosedPerPass = .max
            settings.waitLimit = .zero
            settings.stallLimit = .seconds(Int.max / 2)
            let bounded = settings.bounded
            #expect(bounded.connectionBytes == 4 << 10 && bounded.idleClosedPerPass == 10_000)
            #expect(bounded.waitLimit == .milliseconds(1) && bounded.stallLimit == .seconds(3600))
            #expect(ConnectionGate.Settings().bounded == ConnectionGate.Settings())
            #expect(ConnectionGate.Settings().changes(maximumConnections: 1000).isEmpty)
            settings.connectionsAtCritical = 20
            #expect(
                settings.changes(maximumConnections: 0) == [
                    "maximumConnections is 0, and is held to 1", "connectionsAtCritical is 20, and is held to 0",
                    "connectionBytes is -1, and is held to 4096",
                    "waitLimit is 0.0 seconds, and is held to 0.001 seconds",
                    "stallLimit is \(settings.stallLimit), and is held to 3600.0 seconds",
                    "idleClosedPerPass is \(Int.max), and is held to 10000",
                ])
        }

        @Test(
            "What is held follows the level and the limit",
            arguments: [
                (nil, 0, [64 << 20, 32 << 20, 16 << 20]), (nil, 512 << 20, [128 << 20, 64 << 20, 32 << 20]),
                (1, 512 << 20, [64 << 10, 32 << 10, 16 << 10]), (8 << 20, 512 << 20, [8 << 20, 4 << 20, 2 << 20]),
            ] as [(Int?, Int, [Int])])
        func allowance(set: Int?, limit: Int, bytes: [Int]) {
            var allowance = ReceiveAllowance(bytes: set)
            #expect(allowance.isKnown == (set != nil))
            allowance.learn(limitBytes: limit)
            #expect(allowance.isKnown)
            for (level, bytes) in zip(PressureLevel.allCases, bytes) {
                allowance.level = level
                #expect(allowance.bytes == bytes)
            }
        }

        @Test(
            "Bounds on connections are held to each other",
            arguments: [
                (-5, nil, 0, [1, 0, 0]), (10, 20, 30, [10, 10, 10]), (10, -1, 5, [10, 0, 0]), (9, nil, 2, [9, 4, 2]),
            ] as [(Int, Int?, Int, [Int])])
        func bounds(maximum: Int, atWarning: Int?, atCritical: Int, held: [Int]) {
            let bounds = ConnectionBounds(atNormal: maximum, atWarning: atWarning, atCritical: atCritical)
            #expect(PressureLevel.allCases.map { bounds[$0] } == held)
        }

        @Test("Metrics say how many connections are open, and why some were closed")
        func metrics() throws {
            let machine = SimulatedMachine(tree: try .v2(limit: 512 << 20))
            defer { machine.tree.remove() }
            let factory = TestMetrics()
            let gate = ConnectionGate(
                try GatedServer.makeManager(machine), maximumConnections: 10, metricsFactory: factory)
            let server = ObjectIdentifier(gate)
            let (first, second) = (gate.open(from: server), gate.open(from: server))
            gate.noteClosing(first, .noRoom)
            gate.close(first)
            #expect(try factory.expectRecorder("jetsam_connections").values == [1, 2, 1])
            let closed = try factory.expectCounter("jetsam_connections_closed_total", [("reason", "no_room")])
            #expect(closed.values == [1])
            gate.close(second)
            gate.close(second)
            #expect(gate.statistics.openConnections == 0 && gate.statistics.acceptedConnections == 2)
        }
    }
#endif
