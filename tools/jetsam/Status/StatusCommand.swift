internal import ArgumentParser
internal import CommandOutput
internal import Jetsam
internal import MemoryPressure

/// `jetsam status`: what a process's manager knows.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Shows what a process's manager knows: level and reason, caches, background tasks, scenes, last steps.",
        discussion: """
            It uses the control socket, which a process has if its configuration sets control.isEnabled. It also works from \
            outside of the process's container.

            \(ControlOptions.exitStatus)

            JSON, one object on one line, sizes in bytes, null for what is not known:
              pid (as the process sees it), uptimeSeconds, isDryRun, level, rule, reason
              announcedLimit   bytes and heldSeconds of a limit that is about to be set, or null: see jetsam release --help
              reading          readings, limitBytes, isLimited (false: the machine), tightestLevel, usageBytes,
                               unreclaimableBytes, headroomBytes, warningBytes and criticalBytes (where these levels begin),
                               availableBytes, highBytes, footprintBytes, footprintBudgetBytes (footprint.budgetBytes),
                               footprintWarningBytes and footprintCriticalBytes (where its levels begin),
                               footprintNeededBytes (without caches and what the allocator retains), stallPercent
              totals           levelChanges, steps, promisedBytes, freedBytes, returnedBytes, trimmedBytes,
                               releasedBytes, neededBytes, refetchedBytes, wastedBytes
              process          state, isReady, isShuttingDown, backgroundModes, missedDeadlines
              allocator        name, canTrim, limitation, retainedBytes
              cacheCount, caches   the largest 256: name, priority, reportedBytes, limitBytes, asks, promisedBytes, lateBytes,
                               freedBytes, returnedBytes, refetchedBytes, failures, missedDeadlines, longestHandlerSeconds
              backgroundTasks  held, begun, ended, expired, overdue, overdueNow, refused, hungHandlers, longHeld
                   oldest      the five longest-running: name, origin, priority, ageSeconds, sinceProgressSeconds (null: it
                               never reported any), state ("held", "expiring", "overdue"), overdueSeconds (null: it is not),
                               remainingSeconds, scene
              scenes           connected (state: number), footprintBytes, unsaved, refused, lost, missedDeadlines
              steps            the newest eight, the newest last: see jetsam release --help
              sources          source, path, used, reason (why not)
            """
    )

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        do throws(ControlFailure) {
            let status = try control.client().ask(.status, for: "status")
            print(
                json
                    ? status.description
                    : Self.lines(status, of: control.pid, columns: Columns.width).joined(separator: "\n"))
        } catch {
            throw error.report()
        }
    }

    /// The view of `watch`, and where the readings come from.
    static func lines(_ status: JSONText, of process: Int32, columns: Int) -> [String] {
        var lines = WatchView.lines(Snapshot(status, of: process), columns: columns)
        let sources = status["sources"]?.elements ?? []
        if !sources.isEmpty { lines += ["", "SOURCES"] }
        for source in sources {
            func text(_ key: String) -> String { TerminalText.clean(source[key]?.string ?? "") }
            let isUsed = source["used"]?.bool == true
            let head = TerminalText.fitted("  \(text("source"))", 28)
            lines.append(TerminalText.shortened(head + (isUsed ? "used" : "not available: \(text("reason"))"), columns))
        }
        return lines
    }
}
