import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// Names, origins and identifiers, as they should be and as they should not.
struct BackgroundTaskIdentityTests {
    @Test("A name of a megabyte is cut, whatever it is made of", arguments: ["x", "é", "e\u{301}", "\u{301}", "👩‍👩‍👧‍👦"])
    func longName(piece: String) {
        let manual = ManualRegistry()
        let name = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
        let task = manual.begin(name, .after(.seconds(1)))
        let reported = manual.registry.heldTasks()[0].name
        #expect(reported.unicodeScalars.elementsEqual(name.unicodeScalars.prefix(128)))
        #expect(reported.utf8.count <= 512)
        manual.registry.endBackgroundTask(task)
    }

    @Test("A name may be empty, and one with control characters does not break the line of a log")
    func oddNames() {
        let manual = ManualRegistry()
        _ = manual.begin("", .atTermination)
        _ = manual.begin("two\nlines\u{1B}[31m\0", .atTermination)
        let names = manual.registry.heldTasks().map(\.name)
        #expect(names == ["", "two\nlines\u{1B}[31m\0"])
        for task in manual.registry.heldTasks() {
            #expect(!task.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
        #expect(manual.registry.beginBackgroundTask() != .invalid)
        #expect(manual.registry.heldTasks().map(\.name).last == "unnamed")
    }

    @Test("One name at two places is two origins, and two names at one place are told apart, literal or not")
    func origins() throws {
        let manual = ManualRegistry()
        let names: [BackgroundTaskName] = ["a", "b", "a", BackgroundTaskName("a"), BackgroundTaskName("c"[...])]
        for (name, line) in zip(names, [1, 1, 2, 2, 2] as [UInt]) {
            for _ in 0..<2 {
                _ = try manual.registry.begin(name, fileID: "M/File.swift", line: line).intoIdentifier()
            }
        }
        let seen = manual.registry.heldTasks().map { "\($0.name) \($0.origin)" }
        let expected = ["a 1", "b 1", "a 2", "a 2", "c 2"].map { $0.replacing(" ", with: " M/File.swift:") }
        #expect(seen.sorted() == (expected + expected).sorted())
    }

    @Test("Beyond 4096 names and origins a task is called other, and everything else of it stays as it is")
    func tooManyNames() {
        let manual = ManualRegistry()
        let tasks = (0..<4200).map { manual.begin("name \($0)", .after(.seconds(9))) }
        let names = manual.registry.heldTasks(limit: .max)
        #expect(names.count == 4200)
        #expect(names.count { $0.name == "other" && $0.origin.isEmpty } == 4200 - 4096)
        #expect(names.count { $0.name == "name 7" } == 1)
        // Those that have a place keep it.
        _ = manual.begin("name 7", .atTermination)
        #expect(manual.registry.heldTasks(limit: .max).count { $0.name == "name 7" } == 2)
        for task in tasks { manual.registry.endBackgroundTask(task) }
        #expect(manual.registry.heldCount == 1)
        manual.advance(.seconds(20))
        #expect(manual.called.isEmpty)
    }

    @Test("The invalid identifier is of no task")
    func invalid() {
        let manual = ManualRegistry()
        _ = manual.begin("a", .atTermination)
        manual.registry.endBackgroundTask(.invalid)
        #expect(manual.registry.backgroundTimeRemaining(of: .invalid) == .zero)
        #expect(manual.registry.heldCount == 1)
    }

    @Test("The identifiers of another registry end nothing here, although both registries are as young")
    func foreign() {
        let mine = ManualRegistry()
        let other = ManualRegistry()
        for number in 0..<3000 {
            _ = mine.begin("mine \(number % 3)", .atTermination)
            let foreign = other.begin("other", .atTermination)
            mine.registry.endBackgroundTask(foreign)
            #expect(mine.registry.backgroundTimeRemaining(of: foreign) == .zero)
        }
        #expect(mine.registry.heldCount == 3000)
        #expect(other.registry.heldCount == 3000)
    }

    @Test("Identifiers that nobody gave end nothing, however near they come", arguments: seedBatches)
    func madeUp(seeds: ClosedRange<UInt64>) {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let manual = ManualRegistry()
            let real = (0..<20).map { _ in manual.begin("real", .atTermination) }
            for _ in 0..<200 {
                let bits = UInt64.random(in: 0...UInt64.max, using: &random)
                let near = real.randomElement(using: &random)!.value ^ 1 << UInt64.random(in: 0..<64, using: &random)
                for value in [bits, near] {
                    let identifier = BackgroundTaskIdentifier(value: value)
                    if !real.contains(identifier) { manual.registry.endBackgroundTask(identifier) }
                }
            }
            // A changed index with the same generation is of another task or of none.
            #expect(manual.registry.heldCount == 20, "seed \(seed)")
        }
    }

    @Test("Settings out of range are held to it")
    func settings() {
        var configuration = BackgroundTaskConfiguration()
        configuration.lead = .seconds(-1)
        configuration.grace = .seconds(-1)
        #expect(BackgroundTaskRegistry(configuration: configuration).configuration.lead == .zero)
        #expect(BackgroundTaskRegistry(configuration: configuration).configuration.grace == .zero)
        configuration.lead = .seconds(Int64.max)
        configuration.grace = .seconds(Int64.max)
        #expect(BackgroundTaskRegistry(configuration: configuration).configuration.lead == .seconds(60))
        #expect(BackgroundTaskRegistry(configuration: configuration).configuration.grace == .seconds(3600))
    }
}
