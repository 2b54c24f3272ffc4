internal import MemoryPressure

extension ResourceManager.Status {
    /// The most caches and scenes' states that one answer lists; it says how many there are.
    static let mostCaches = 256

    /// The snapshot as the control socket answers it. Sizes in bytes, null for what is not known.
    ///
    /// - Parameter process: The process's number, as it sees it itself.
    func report(process identifier: Int32) -> JSONText {
        // The largest are the ones to look at where there are too many.
        let largest = caches.count > Self.mostCaches ? caches.sorted { $0.reportedBytes > $1.reportedBytes } : caches
        return .object([
            ("pid", .integer(Int(identifier))),
            ("uptimeSeconds", uptime.map { .number($0.inSeconds) } ?? .null),
            ("isDryRun", .bool(isDryRun)),
            ("announcedLimit", announcedLimitReport),
            ("level", .string("\(level)")),
            ("rule", .string(reason.map { "\($0.rule)" })),
            ("reason", .string(reason.map { $0.text(after: endedRule) })),
            ("reading", readingReport),
            ("totals", totalsReport),
            ("process", processReport),
            ("allocator", allocatorReport),
            ("cacheCount", .integer(caches.count)),
            ("caches", .array(largest.prefix(Self.mostCaches).map(\.report))),
            ("backgroundTasks", tasksReport),
            ("scenes", scenesReport),
            ("steps", .array(recentSteps.map { $0.step.report(ago: $0.instant.duration(to: instant)) })),
            ("sources", .array(sources.map(\.report))),
        ])
    }

    private var announcedLimitReport: JSONText {
        guard let announcedLimit else { return .null }
        return .object([
            ("bytes", .integer(announcedLimit.bytes)),
            ("heldSeconds", .number(instant.duration(to: announcedLimit.until).inSeconds)),
        ])
    }

    private var readingReport: JSONText {
        .object([
            ("readings", .integer(Int(clamping: reading.sequence))),
            ("limitBytes", .integer(reading.limitBytes)), ("isLimited", .bool(reading.isLimited)),
            ("tightestLevel", .integer(reading.tightestLevel)), ("usageBytes", .integer(reading.usageBytes)),
            ("unreclaimableBytes", .integer(reading.unreclaimableBytes)),
            ("headroomBytes", .integer(reading.headroomBytes)),
            ("warningBytes", .integer(headroomThresholds.warningBytes)),
            ("criticalBytes", .integer(headroomThresholds.criticalBytes)),
            ("availableBytes", .integer(reading.availableBytes)), ("highBytes", .integer(reading.highBytes)),
            ("footprintBytes", .integer(reading.footprintBytes)),
            ("footprintBudgetBytes", .integer(footprintBudget?.bytes)),
            ("footprintWarningBytes", .integer(footprintBudget?.warningBytes)),
            ("footprintCriticalBytes", .integer(footprintBudget?.criticalBytes)),
            ("footprintNeededBytes", .integer(footprintNeededBytes)), ("stallPercent", .integer(stallPercent)),
        ])
    }

    private var totalsReport: JSONText {
        .object([
            ("levelChanges", .integer(totals.levelChanges)), ("steps", .integer(totals.steps)),
            ("promisedBytes", .integer(totals.promisedBytes)), ("freedBytes", .integer(totals.freedBytes)),
            ("returnedBytes", .integer(totals.returnedBytes)), ("trimmedBytes", .integer(totals.trimmedBytes)),
            ("releasedBytes", .integer(totals.releasedBytes)), ("neededBytes", .integer(totals.neededBytes)),
            ("refetchedBytes", .integer(totals.refetchedBytes)), ("wastedBytes", .integer(totals.wastedBytes)),
        ])
    }

    private var processReport: JSONText {
        .object([
            ("state", .string("\(process.state)")), ("isReady", .bool(process.isReady)),
            ("isShuttingDown", .bool(process.isShuttingDown)),
            ("backgroundModes", .array(process.backgroundModes.prefix(16).map { .string($0.bounded) })),
            ("missedDeadlines", .integer(process.missedDeadlines)),
        ])
    }

    private var allocatorReport: JSONText {
        .object([
            ("name", .string(allocator.name)), ("canTrim", .bool(allocator.canTrim)),
            ("limitation", .string(allocator.limitation)), ("retainedBytes", .integer(allocator.retainedBytes)),
        ])
    }

    private var tasksReport: JSONText {
        .object([
            ("held", .integer(backgroundTasks.held)), ("begun", .integer(backgroundTasks.begun)),
            ("ended", .integer(backgroundTasks.ended)), ("expired", .integer(backgroundTasks.expired)),
            ("overdue", .integer(backgroundTasks.overdue)), ("overdueNow", .integer(backgroundTasks.overdueNow)),
            ("refused", .integer(backgroundTasks.refused)), ("hungHandlers", .integer(backgroundTasks.hungHandlers)),
            ("longHeld", .integer(backgroundTasks.longHeld)),
            ("oldest", .array(longestTasks.map(\.report))),
        ])
    }

    private var scenesReport: JSONText {
        .object([
            (
                "connected",
                .object(SceneState.allCases.map { ("\($0)", .integer(scenes.connected[$0] ?? 0)) })
            ),
            ("footprintBytes", .integer(scenes.footprintBytes)), ("unsaved", .integer(scenes.unsaved)),
            ("refused", .integer(scenes.refused)), ("lost", .integer(scenes.lost)),
            ("missedDeadlines", .integer(scenes.missedDeadlines)),
        ])
    }
}

extension CacheStatus {
    fileprivate var report: JSONText {
        .object([
            ("name", .string(name.bounded)), ("priority", .string("\(priority)")),
            ("reportedBytes", .integer(reportedBytes)), ("limitBytes", .integer(limitBytes)), ("asks", .integer(asks)),
            ("promisedBytes", .integer(promisedBytes)), ("lateBytes", .integer(lateBytes)),
            ("freedBytes", .integer(freedBytes)), ("returnedBytes", .integer(returnedBytes)),
            ("refetchedBytes", .integer(refetchedBytes)),
            ("failures", .integer(failures)), ("missedDeadlines", .integer(missedDeadlines)),
            ("longestHandlerSeconds", .number(longestHandlerTime.inSeconds)),
        ])
    }
}

extension HeldBackgroundTask {
    fileprivate var report: JSONText {
        let (state, overdue): (String, Duration?) =
            switch state {
            case .held: ("held", nil)
            case .expiring: ("expiring", nil)
            case .overdue(let time): ("overdue", time)
            }
        return .object([
            ("name", .string(name.bounded)), ("origin", .string(origin.bounded)), ("priority", .string("\(priority)")),
            ("ageSeconds", .number(age.inSeconds)),
            ("sinceProgressSeconds", sinceProgress.map { .number($0.inSeconds) } ?? .null),
            ("state", .string(state)), ("overdueSeconds", overdue.map { .number($0.inSeconds) } ?? .null),
            ("remainingSeconds", remaining.map { .number($0.inSeconds) } ?? .null),
            ("scene", .string(scene.map(\.text))),
        ])
    }
}

extension SourceStatus {
    fileprivate var report: JSONText {
        let reason: String? = if case .notAvailable(let reason) = availability { reason } else { nil }
        return .object([
            ("source", .string(name)), ("path", .string(path?.bounded)), ("used", .bool(isUsed)),
            ("reason", .string(reason?.bounded)),
        ])
    }
}

extension ReclaimStep {
    /// - Parameter ago: The time for which it has been over.
    func report(ago: Duration) -> JSONText {
        .object([
            ("sequence", .integer(Int(clamping: sequence))), ("stage", .string("\(stage)")), ("step", .integer(step)),
            ("level", .string("\(level)")), ("reason", .string(reason.description)),
            ("targetBytes", .integer(targetBytes)), ("promisedBytes", .integer(promisedBytes)),
            ("freedBytes", .integer(freedBytes)), ("returnedBytes", .integer(returnedBytes)),
            ("trimmedBytes", .integer(trimmedBytes)), ("isDisturbed", .bool(isDisturbed)),
            ("isDryRun", .bool(isDryRun)),
            ("victimCount", .integer(victimCount)), ("headroomBeforeBytes", .integer(headroomBefore)),
            ("headroomAfterBytes", .integer(headroomAfter)), ("durationSeconds", .number(duration.inSeconds)),
            ("agoSeconds", .number(ago.inSeconds)),
        ])
    }
}

extension LimitPreparation {
    /// The answer of the control socket. Sizes in bytes.
    var report: JSONText {
        let (before, after) = readings
        return .object([
            ("limitBytes", .integer(limitBytes)), ("isReached", .bool(obstacle == nil)),
            ("missingBytes", .integer(missingBytes)), ("marginBytes", .integer(marginBytes)),
            ("obstacle", .string(obstacle.map { "\($0)" })), ("reason", .string(reason)),
            ("hardLimitBytes", .integer(after.limitBytes)),
            ("usedBeforeBytes", .integer(usedBytes.before)), ("usedAfterBytes", .integer(usedBytes.after)),
            ("usageBeforeBytes", .integer(before.usageBytes)), ("usageAfterBytes", .integer(after.usageBytes)),
            ("cacheBytes", .integer(cacheBytes)), ("heldSeconds", hold.map { .number($0.inSeconds) } ?? .null),
            ("durationSeconds", .number(before.instant.duration(to: after.instant).inSeconds)),
            ("steps", .integer(steps.count)),
            ("caches", .array(parts.prefix(ResourceManager.Status.mostCaches).map(\.report))),
        ])
    }

    /// The bytes that each cache gave in all steps, in the order in which they were first asked.
    private var parts: [ReclaimStep.Part] {
        var sums: [ReclaimStep.Part] = []
        var places: [String: Int] = [:]
        for part in steps.flatMap(\.parts) {
            guard let place = places[part.name] else {
                places[part.name] = sums.count
                sums.append(part)
                continue
            }
            sums[place].askedBytes = sums[place].askedBytes.addingSaturating(part.askedBytes)
            sums[place].promisedBytes = sums[place].promisedBytes.addingSaturating(part.promisedBytes)
            sums[place].returnedBytes = sums[place].returnedBytes.addingSaturating(part.returnedBytes)
            sums[place].failed = sums[place].failed || part.failed
            sums[place].missedDeadline = sums[place].missedDeadline || part.missedDeadline
        }
        return sums
    }
}

extension ReclaimStep.Part {
    fileprivate var report: JSONText {
        .object([
            ("name", .string(name.bounded)), ("askedBytes", .integer(askedBytes)),
            ("promisedBytes", .integer(promisedBytes)), ("returnedBytes", .integer(returnedBytes)),
            ("failed", .bool(failed)), ("missedDeadline", .bool(missedDeadline)),
        ])
    }
}

extension String {
    /// No longer than an answer can bear.
    fileprivate var bounded: String { String(prefix(200)) }
}
