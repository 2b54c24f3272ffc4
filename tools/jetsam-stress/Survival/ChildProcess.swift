internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

/// A process that a run started, in the group or outside of it. It ends with this one.
struct ChildProcess {
    let identifier: Int32
    private(set) var end: System.ProcessEnd?

    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - group: Where it is to run; nil for where this process runs.
    ///   - output: The file that its standard output goes to; that of errors gets `.err` behind it.
    init(_ command: [String], in group: LimitedGroup?, output: String) throws {
        let arguments =
            ["jetsam-stress", EnterCommand.name, "--parent", "\(System.processIdentifier)"]
            + (group?.processFiles ?? []).flatMap { ["--procs", $0] } + ["--"] + command
        do {
            identifier = try System.spawn("/proc/self/exe", arguments, output: output, errors: output + ".err")
        } catch {
            throw StressError("\(command.first ?? ""): it cannot be started: \(error)")
        }
    }

    /// How it ended; nil while it runs.
    mutating func look() -> System.ProcessEnd? {
        if end == nil { end = System.reap(identifier) }
        return end
    }

    /// Waits until it has ended, for so long at most; nil where it still runs then.
    mutating func wait(atMost time: Duration) -> System.ProcessEnd? {
        let clock = SystemMonotonicClock()
        let due = clock.now.advanced(by: time)
        while look() == nil, clock.now < due { System.sleep(until: clock.now.advanced(by: .milliseconds(5))) }
        return end
    }

    func send(_ signal: Int32) {
        if end == nil { System.send(signal, to: identifier) }
    }

    /// Asks it to end, and kills it where it has not done so in time.
    mutating func stop(_ signal: Int32, grace: Duration) -> System.ProcessEnd? {
        send(signal)
        if wait(atMost: grace) == nil {
            send(System.killSignal)
            _ = wait(atMost: .seconds(10))
        }
        return end
    }
}

/// The CPU time of a process's threads, from the kernel's accounting.
enum ThreadTimes {
    /// Nanoseconds that the threads whose name begins so have taken; nil where the process is gone.
    static func nanoseconds(of process: Int32, named prefix: String) -> Int? {
        let tasks = "/proc/\(process)/task"
        let names = System.directories(in: tasks)
        guard !names.isEmpty else { return nil }
        return names.reduce(0) { sum, task in
            guard let name = try? System.text(of: "\(tasks)/\(task)/comm"), name.hasPrefix(prefix),
                let text = try? System.text(of: "\(tasks)/\(task)/schedstat")
            else { return sum }
            return sum + (Int(text.prefix { $0.isNumber }) ?? 0)
        }
    }
}
