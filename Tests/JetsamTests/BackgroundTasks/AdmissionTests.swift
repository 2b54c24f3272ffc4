import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam

/// Who may begin, by level, state and priority, written out.
struct AdmissionTests {
    enum State: CaseIterable {
        case active
        case draining
        case ending
        case endingWhileDraining
    }

    struct Row: CustomTestStringConvertible {
        var level: PressureLevel
        var state: State
        /// For each of `priorities`, whether it may.
        var admitted: String
        var reason: BackgroundTaskRefusal.Reason?
        var minimum: ResourcePriority?

        var testDescription: String { "\(level), \(state)" }
    }

    static let priorities: [ResourcePriority] = [0, 63, 64, 127, 128, 191, 192, 255].map { .init(rawValue: $0) }

    //                                            0  63 low  127 normal 191 high 255
    static let rows: [Row] = [
        Row(level: .normal, state: .active, admitted: "++++++++", reason: nil, minimum: nil),
        Row(level: .normal, state: .draining, admitted: "----++++", reason: .draining, minimum: .normal),
        Row(level: .normal, state: .ending, admitted: "--------", reason: .terminating, minimum: nil),
        Row(level: .normal, state: .endingWhileDraining, admitted: "--------", reason: .terminating, minimum: nil),
        Row(level: .warning, state: .active, admitted: "----++++", reason: .pressure(.warning), minimum: .normal),
        Row(level: .warning, state: .draining, admitted: "----++++", reason: .draining, minimum: .normal),
        Row(level: .warning, state: .ending, admitted: "--------", reason: .terminating, minimum: nil),
        Row(level: .warning, state: .endingWhileDraining, admitted: "--------", reason: .terminating, minimum: nil),
        Row(level: .critical, state: .active, admitted: "------++", reason: .pressure(.critical), minimum: .high),
        Row(level: .critical, state: .draining, admitted: "------++", reason: .pressure(.critical), minimum: .high),
        Row(level: .critical, state: .ending, admitted: "--------", reason: .terminating, minimum: nil),
        Row(level: .critical, state: .endingWhileDraining, admitted: "--------", reason: .terminating, minimum: nil),
    ]

    private func bring(_ manual: ManualRegistry, to row: Row, levelFirst: Bool) {
        if levelFirst { manual.registry.noteLevel(row.level) }
        if row.state == .draining || row.state == .endingWhileDraining {
            manual.registry.beginDraining(deadline: manual.clock.now.advanced(by: .seconds(60)))
        }
        if row.state == .ending || row.state == .endingWhileDraining { manual.registry.shut() }
        if !levelFirst { manual.registry.noteLevel(row.level) }
    }

    @Test(
        "The whole table holds for the question, the handle and the identifier, whatever came first", arguments: rows)
    func table(row: Row) throws {
        for levelFirst in [false, true] {
            let manual = ManualRegistry()
            let registry = manual.registry
            bring(manual, to: row, levelFirst: levelFirst)
            var refused = 0
            for (priority, mark) in zip(Self.priorities, row.admitted) {
                let refusal =
                    mark == "+"
                    ? nil
                    : BackgroundTaskRefusal(
                        reason: try #require(row.reason), priority: priority, minimumPriority: row.minimum)
                #expect(registry.mayBegin(priority: priority) == (refusal == nil), "\(priority)")
                #expect(registry.whyNot(priority: priority) == refusal)
                let identifier = registry.beginBackgroundTask(withName: "a", priority: priority)
                #expect((identifier == .invalid) == (refusal != nil))
                do throws(BackgroundTaskRefusal) {
                    let task = try registry.begin("b", priority: priority)
                    _ = task.intoIdentifier()
                    #expect(refusal == nil)
                } catch {
                    #expect(error == refusal)
                }
                if refusal != nil { refused += 2 }
            }
            // Asking counts as no refusal.
            #expect(registry.statistics.refused == refused)
            #expect(registry.statistics.begun == Self.priorities.count * 2 - refused)
        }
    }

    @Test("The table above has each level and state once")
    func complete() {
        for level in PressureLevel.allCases {
            for state in State.allCases {
                #expect(Self.rows.count { $0.level == level && $0.state == state } == 1)
            }
        }
    }

    @Test("What stood against it goes again: the level by the level, draining and shutting by a new manager")
    func andBack() {
        let registry = ManualRegistry().registry
        registry.noteLevel(.critical)
        registry.beginDraining(deadline: .seconds(7200))
        registry.noteLevel(.normal)
        #expect(!registry.mayBegin(priority: .low) && registry.mayBegin())
        #expect(registry.attachManager { .normal })
        #expect(registry.mayBegin(priority: .low))
        registry.shut()
        registry.noteLevel(.normal)
        #expect(!registry.mayBegin(priority: .high))
        registry.detachManager()
        #expect(registry.attachManager { .warning })
        #expect(!registry.attachManager { .normal })
        #expect(!registry.mayBegin(priority: .low) && registry.mayBegin())
        registry.shut()
        registry.detachManager()
        #expect(!registry.mayBegin(priority: .high))
    }

    @Test("What is held already stays, whatever the level and the state")
    func heldStays() {
        let manual = ManualRegistry()
        _ = manual.begin("a", .atTermination, priority: .low)
        manual.registry.noteLevel(.critical)
        manual.registry.shut()
        manual.advance(.seconds(1000))
        #expect(manual.registry.heldCount == 1)
        #expect(manual.called.isEmpty)
    }

    @Test("A refusal says in one line what stood against it and who may")
    func descriptions() {
        func words(_ reason: BackgroundTaskRefusal.Reason, _ minimum: ResourcePriority?) -> String {
            BackgroundTaskRefusal(reason: reason, priority: .low, minimumPriority: minimum).description
        }
        let start = "a background task of priority low may not begin"
        #expect(words(.pressure(.warning), .normal) == "\(start) at pressure warning; normal and above may")
        #expect(words(.draining, .normal) == "\(start) while the process drains; normal and above may")
        #expect(words(.terminating, nil) == "\(start) because the process ends")
        #expect(words(.full, nil) == "\(start) because too many are held")
        #expect(words(.pressure(.critical), .init(rawValue: 200)) == "\(start) at pressure critical; 200 and above may")
    }
}
