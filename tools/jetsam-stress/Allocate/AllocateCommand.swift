internal import ArgumentParser
internal import CommandOutput
internal import MemoryPressure
internal import _StressPatterns

/// `jetsam-stress allocate`, the default: takes memory in a pattern, and holds background tasks.
struct AllocateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allocate",
        abstract: "Takes memory in a pattern, and holds background tasks.",
        discussion: Pattern.discussion + "\n\n" + TaskOptions.discussion + "\n\n" + """
            EXIT STATUS: 0 the pattern or --duration came to its end; 1 a background task that never ends was notified early (without a \
            manager), twice, or more than a second late; 2 the tool failed (no address space, disk full); 64 usage. If the OOM killer \
            takes the process, the kernel sets the status.

            JSON, one object on one line: pattern and limitBytes (null without --pattern), rateBytesPerSecond (null: as fast as it goes), seed (fragment, \
            else null), end ("finished", "duration"), rounds, takenBytes (in all), peakBytes, heldBytes (at the end), \
            residentBytes (of the process at the end, before it gives anything back), pagesRead (--reread, else null), server (redis \
            and memcached, else null: program, values, usedBytes by its own count, residentBytes), seconds, \
            purgeable (null without --purgeable): bytes, managed (true, false), releasedBytes, levelChanges (each: seconds since \
            the manager began, from, to, headroomBytes, reason), steps (each: seconds, level, targetBytes, promisedBytes, \
            returnedBytes, milliseconds, firstReleaseMilliseconds (from the reading that decided it to the first call of a cache; \
            null where none was called), headroomBytes (at its end), reason); tasks (null without --tasks): count, stuck (never end), begun, ended, \
            refused, expired (told), overdue (at the end), handlersCalled (of those that never end, as are the following), \
            handlersCalledTwice, handlersMissing, handlersEarly, lateMillisecondsMedian, lateMillisecondsP99 and \
            lateMillisecondsWorst (null where none was called).

            With --limit headroom+SIZE the headroom is measured once the cache of --purgeable is full and the manager runs; \
            it needs a limited cgroup.
            """
    )

    @OptionGroup var pattern: PatternOptions

    @Option(
        help: .init(
            "First fill a cache with this many bytes, in values of 16 KiB: \(Size.allowed).", valueName: "size")
    )
    var purgeable: Size?

    @OptionGroup var tasks: TaskOptions

    @Flag(
        help: """
            Let a Jetsam ResourceManager manage the cache of --purgeable and the background tasks. Without it nothing manages them: \
            that is the control.
            """)
    var managed = false

    @Option(
        help: .init(
            "Let the manager of --managed record to a file: an absolute path. 'jetsam report' shows it.",
            valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        help: .init(
            "Let the manager of --managed keep a flight recorder in a directory: an absolute path. With --progress the next run says how "
                + "this one ended. 'jetsam blackbox' shows its last records.",
            valueName: "directory"),
        completion: .directory)
    var recorder: String?

    @Flag(help: "The result as JSON.")
    var json = false

    @Flag(
        help:
            "Print a line each second on standard error, even if it is not a terminal; with --managed the manager's log too."
    )
    var progress = false

    func validate() throws {
        if pattern.pattern == nil, tasks.plan == nil {
            throw ValidationError("--pattern or --tasks is needed.")
        }
        if managed, purgeable == nil, tasks.plan == nil {
            throw ValidationError("--managed needs --purgeable or --tasks, which it manages.")
        }
        for (option, path, example) in [
            ("--trace", trace, "/tmp/trace.jsonl"), ("--recorder", recorder, "/var/tmp/stress"),
        ] {
            guard let path else { continue }
            guard managed else { throw ValidationError("\(option) needs --managed, whose manager records.") }
            guard path.hasPrefix("/") else {
                throw ValidationError("\(option) must be an absolute path, such as \(example), not '\(path)'.")
            }
        }
    }

    func run() throws {
        do {
            let result = try perform()
            print(json ? result.json.description : result.text)
            guard result.tasks?.handlers.isInOrder(mayBeEarly: managed) ?? true else { throw ExitCode(1) }
        } catch let error as StressError {
            StandardError.write("jetsam-stress: \(error)")
            throw ExitCode(2)
        }
    }
}
