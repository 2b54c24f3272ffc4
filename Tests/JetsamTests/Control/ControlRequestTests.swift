import MemoryPressure
import Testing

@testable import Jetsam

struct ControlRequestTests {
    @Test(
        "A request says what it asks for, and is written as it is read",
        arguments: [
            ("status", .status),
            ("simulate warning", .simulate(.warning, for: nil)),
            ("simulate critical 10.000", .simulate(.critical, for: .seconds(10))),
            ("simulate warning 0.001", .simulate(.warning, for: .milliseconds(1))),
            ("simulate normal 86400.000", .simulate(.normal, for: .seconds(86_400))),
            ("release 1", .release(bytes: 1)),
            ("release 9223372036854775807", .release(bytes: .max)),
            ("release all", .release(bytes: nil)),
            ("release to 314572800 60.000", .prepare(limitBytes: 300 << 20, holding: .seconds(60))),
            ("release to 1 0.500", .prepare(limitBytes: 1, holding: .milliseconds(500))),
            ("release to none", .prepare(limitBytes: nil, holding: .seconds(60))),
            ("expire all", .expire(named: nil)), ("expire named all", .expire(named: "all")),
            ("expire named caf%C3%A9%20100%25", .expire(named: "café 100%")),
            ("dry-run on", .dryRun(true)), ("dry-run off", .dryRun(false)),
        ] as [(String, ControlRequest)])
    func requests(line: String, request: ControlRequest) throws {
        #expect(try ControlRequest(Array(line.utf8)) == request)
        #expect(request.description == line)
    }

    @Test(
        "Seconds may have up to three decimals, and a carriage return may stand at the end",
        arguments: [
            ("simulate warning 10", 10_000), ("simulate warning 0.5", 500), ("simulate warning 1.25\r", 1250),
            ("simulate warning  2.007", 2007),
        ])
    func seconds(line: String, milliseconds: Int) throws {
        #expect(
            try ControlRequest(Array(line.utf8)) == .simulate(.warning, for: .milliseconds(milliseconds)))
    }

    @Test(
        "Whatever else stands on the line is refused, and hardly repeated",
        arguments: [
            "", " ", "Status", "status now", "statu", "simulate", "simulate Warning", "simulate warning ten",
            "simulate warning -1", "simulate warning 0", "simulate warning 0.000", "simulate warning 86400.001",
            "simulate warning 1.2345", "simulate warning .5", "simulate warning 5.", "simulate warning 1e3",
            "simulate warning 999999999999999999999", "simulate warning 1 2", "release", "release 0", "release -5",
            "release +5", "dry-run", "dry-run yes", "dry-run on 1", "expire", "expire upload", "expire named",
            "expire named a b", "expire named %4", "expire named %+1", "expire named %FF", "release 1.5", "release ALL",
            "release 9223372036854775808", "release to", "release to 0", "release to -1", "release to all",
            "release to 1 0", "release to 1 86401", "release to none 5", "release to 1 2 3", "status\0", "status\tx",
            "statüs",
            "release \u{1B}[2J",
        ])
    func refused(line: String) {
        let error = #expect(throws: ControlRefusal.self) { try ControlRequest(Array(line.utf8)) }
        #expect(error?.code == "badRequest")
        #expect(error?.message.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } == true)
        #expect((error?.message.count ?? .max) < 140)
    }

    @Test("A line that is as long as a request may be with its end, or longer, is refused")
    func tooLong() {
        let longest = Array(repeating: UInt8(ascii: "x"), count: ControlRequest.maximumBytes - 1)
        #expect(throws: ControlRefusal.self) { try ControlRequest(longest) }
        #expect(throws: ControlRefusal.tooLong) { try ControlRequest(longest + [0x78]) }
    }

    @Test("Any bytes are answered: what is taken is written as something that is read the same", arguments: seedBatches)
    func anyBytes(seeds: ClosedRange<UInt64>) throws {
        var generator = SeededGenerator(seed: seeds.lowerBound)
        let words = [
            "status", "simulate", "release", "warning", "critical", "normal", "all", "dry-run", "on", "off", "10",
            "expire", "named", "%25", "0.5", "to", "none", "\r", "é",
        ]
        for _ in 0..<2000 {
            var line: [UInt8] = []
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                if Bool.random(using: &generator) {
                    line += Array((words.randomElement(using: &generator) ?? "").utf8)
                } else {
                    line += (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                        UInt8.random(in: 0...255, using: &generator)
                    }
                }
                if Int.random(in: 0...3, using: &generator) > 0 { line.append(0x20) }
            }
            guard let request = try? ControlRequest(line) else { continue }
            #expect(try ControlRequest(Array(request.description.utf8)) == request)
        }
    }
}
