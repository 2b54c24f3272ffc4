import JetsamTesting
import MemoryPressure
import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import PurgeableCaches

extension ModelledRegistry {
    /// Calls what is due in both, and compares who was told.
    func runDue() {
        registry.runDue()
        let calls = record.calls.withLock { calls in
            defer {
                calls.told = []
                calls.overdue = []
            }
            return calls
        }
        var told = calls.told[...]
        var overdue: [String] = []
        while true {
            var (due, late) = model.collect()
            if due.isEmpty, late.isEmpty { break }
            // In what order handlers of one deadline are called is nobody's business.
            while let name = told.first, due.remove(name) != nil {
                told.removeFirst()
                model.counts.expired += 1
                if let reason = calls.reasons[name], let entry = model[name] {
                    #expect(reason.reason == entry.reason, "seed \(seed): reason of \(name)")
                    #expect(reason.timeLeft == model.timeLeft(entry), "seed \(seed): time left of \(name)")
                }
                for other in calls.ends[name] ?? [] where model.end(other.name) { letGo(other.name) }
            }
            // Who was ended by the handler of another is not told any more.
            due = due.filter { model[$0] != nil }
            #expect(due.isEmpty, "seed \(seed): not told in time: \(due)")
            overdue += late
        }
        #expect(told.isEmpty, "seed \(seed): told too early or twice: \(told)")
        #expect(calls.overdue.sorted() == overdue.sorted(), "seed \(seed): overdue")
        #expect(calls.mistakes.isEmpty, "seed \(seed): \(calls.mistakes)")
    }

    /// The sampler's turn, or its end: from then on nothing tells whether the process was paused.
    func sampler() {
        let pauses = registry.table.pauses
        if Int.random(in: 0..<4, using: &random) == 0 {
            pauses.stop()
            model.pauses.expected = nil
            return
        }
        let pause = pauses.beginTurn(clock.now)
        #expect(pause?.nanoseconds == model.pauses.beginTurn(model.now), "seed \(seed): pause")
        let interval = Int64.random(in: 1_000_000...1_500_000_000, using: &random)
        pauses.expect(clock.now, next: .nanoseconds(interval))
        model.pauses.expected = (model.now, interval)
    }

    func drain() {
        let deadline = model.now + span(reach)
        registry.beginDraining(deadline: MonotonicInstant(nanoseconds: deadline))
        model.beginDraining(deadline)
    }

    func changeManager() {
        let level = PressureLevel.allCases.randomElement(using: &random)!
        registry.detachManager()
        #expect(registry.attachManager { level }, "seed \(seed)")
        registry.setObserver(record)
        model.changeManager(level)
    }

    func expireEarly() {
        let most = Int.random(in: 0...8, using: &random)
        let chosen = registry.table.lowestRanking(atMost: most).compactMap { registry.table.held($0)?.name }
        func keys(_ entries: [BackgroundTaskModel.Entry]) -> [Key] {
            entries.map { Key(priority: $0.priority.rawValue, age: age($0.progressed ?? $0.began)) }
        }
        let held = keys(model.entries.filter { $0.phase == .held }).sorted()
        #expect(chosen.count == min(most, held.count), "seed \(seed)")
        if hasShortAges {
            #expect(keys(chosen.compactMap { model[$0] }) == Array(held.prefix(most)), "seed \(seed): early order")
        }
        early = (registry.expireEarly(atMost: most), chosen)
        #expect(early?.expiry.count == chosen.count, "seed \(seed)")
        model.expireNow(chosen, .memory)
    }

    struct Key: Comparable {
        var priority: UInt8
        var age: Int64

        static func < (lhs: Key, rhs: Key) -> Bool {
            lhs.priority == rhs.priority ? lhs.age > rhs.age : lhs.priority < rhs.priority
        }
    }

    func age(_ instant: Int64) -> Int64 { BackgroundTaskModel.age(instant, now: model.now, origin: origin) }

    /// A task tells progress, or one that has ended.
    func progress() {
        if let last = endedIdentifiers.randomElement(using: &random) { registry.table.noteProgress(last.value) }
        guard let name = anyName(), let holder = holders[name] else { return }
        if let identifier = holder.identifier {
            registry.table.noteProgress(identifier.value)
        } else {
            holder.handle?.progress()
        }
        model.progress(name)
    }

    /// The ages of a year and more are not kept.
    var hasShortAges: Bool { reach < 48 }

    /// A scene's tasks expire, or end with it.
    func sceneLeaves() {
        let number = Int.random(in: 0..<3, using: &random)
        let scene = Self.scenes[number]
        let names = model.entries.filter { $0.scene == number }.map(\.name)
        #expect(registry.heldCount(of: scene) == names.count, "seed \(seed)")
        guard Bool.random(using: &random) else {
            registry.expireAll(of: scene)
            return model.expireNow(names, .scene)
        }
        registry.endAll(of: scene)
        for name in names {
            model.end(name)
            record.calls.withLock { _ = $0.ended.insert(name) }
            if let holder = holders[name], holder.identifier == nil { bereft.append(holder) }
            letGo(name)
        }
        if let last = bereft.randomElement(using: &random) {
            #expect(last.handle?.backgroundTimeRemaining == .zero, "seed \(seed)")
            #expect(last.handle?.extend(by: .seconds(1)) == false, "seed \(seed)")
        }
        if Bool.random(using: &random) { bereft.removeAll() }
    }

    func changeLevel() {
        if Int.random(in: 0..<40, using: &random) == 0 {
            registry.shut()
            model.isShut = true
        }
        let level = PressureLevel.allCases.randomElement(using: &random)!
        registry.noteLevel(level)
        model.level = level
    }

    /// Somebody waits for the last to go, or gives the waiting up.
    func awaitRelease() async {
        if let (task, _) = waiter {
            task.cancel()
            await task.value
            waiter = nil
            return
        }
        let hasReturned = Flag()
        let task = Task { [registry] in
            await registry.waitUntilReleased()
            hasReturned.set()
        }
        waiter = (task, hasReturned)
        while !registry.table.isAwaited, !hasReturned.isSet { await Task.yield() }
    }

    /// Everything ends, by its handle, its identifier or its deadline.
    func finish() async {
        for name in model.entries.map(\.name) {
            record.calls.withLock { _ = $0.ended.insert(name) }
            if let identifier = holders[name]?.identifier { registry.endBackgroundTask(identifier) }
            letGo(name)
            model.end(name)
        }
        bereft = []
        await compare()
        runDue()
        await waiter?.task.value
        #expect(registry.table.takenSlots == 0, "seed \(seed): slots are kept")
    }

    func compare() async {
        let expected = model.statistics
        #expect(registry.statistics == expected, "seed \(seed)")
        #expect(registry.heldCount == expected.held, "seed \(seed)")
        if let (task, hasReturned) = waiter {
            if expected.held == 0 {
                await task.value
                waiter = nil
            } else {
                #expect(!hasReturned.isSet, "seed \(seed): released while something holds")
            }
        }
        if let name = anyName(), let holder = holders[name] {
            let left = holder.identifier.map { registry.backgroundTimeRemaining(of: $0) }
            let remaining = left ?? holder.handle?.backgroundTimeRemaining
            #expect(remaining == model.remaining(name), "seed \(seed): time remaining of \(name)")
        }
        let isAll = early.map { $0.names.allSatisfy { (model[$0]?.phase ?? .overdue) == .overdue } }
        #expect(early?.expiry.areGone == isAll, "seed \(seed): victims gone")
        switch (registry.nextDue?.nanoseconds, model.nextDue) {
        case (let next?, let due?): #expect(next <= due, "seed \(seed): would sleep too long")
        case (nil, _?): Issue.record("seed \(seed): would sleep for ever")
        case (_, nil): break
        }
        if hasShortAges, Int.random(in: 0..<8, using: &random) == 0 { compareReports() }
    }

    private func compareReports() {
        let limit = Int.random(in: 0...20, using: &random)
        let reported = registry.heldTasks(limit: limit)
        let ages = model.entries.map { age($0.began) }.sorted(by: >).prefix(limit)
        #expect(reported.map { $0.age.nanoseconds >> 24 } == Array(ages), "seed \(seed): ages")
        for task in reported {
            guard let entry = model[task.name] else {
                Issue.record("seed \(seed): \(task.name) is reported and has ended")
                continue
            }
            let state: HeldBackgroundTask.State =
                switch entry.phase {
                case .held: .held
                case .expiring: .expiring
                case .overdue:
                    // Running time goes back where a pause is seen late.
                    .overdue(for: .nanoseconds(max(0, model.now - model.pauses.paused - entry.graceEnds)))
                }
            #expect(task.priority == entry.priority && task.state == state, "seed \(seed): \(task.state), \(state)")
            let still = task.sinceProgress.map { $0.nanoseconds >> 24 }
            #expect(still == entry.progressed.map { age($0) }, "seed \(seed): progress")
            #expect(task.scene == entry.scene.map { Self.scenes[$0] }, "seed \(seed)")
            #expect(task.remaining == model.remaining(task.name), "seed \(seed)")
        }
    }
}
