internal import CommandOutput
internal import MemoryPressure
internal import _StressPatterns

/// How a command under a limit ended.
struct RunReport {
    enum Outcome: String {
        case lived, failed, killed
    }

    var end: System.ProcessEnd
    /// The signal that asked the tool to stop.
    var stoppedBy: Int32?
    var version: LimitedGroup.Version
    var path: String
    var pressurePath: String?
    var limits: LimitedGroup.Limits
    var resize: Resize?
    var resized: Resize.State?
    var peakBytes: Int?
    var oomKills: Int
    var stallMicroseconds: Int?
    var elapsed: Duration

    var outcome: Outcome {
        if oomKills > 0 { return .killed }
        return end == .exited(0) ? .lived : .failed
    }

    /// As `run --help` lists them.
    var exitStatus: Int32 {
        if oomKills > 0 { return 3 }
        if let stoppedBy { return 128 + stoppedBy }
        return outcome == .lived ? 0 : 1
    }

    var text: String {
        let peak = peakBytes.map { "peak \(ByteCount($0)) of \(ByteCount(largestLimit))" } ?? "peak not known"
        let place = "cgroup \(version.rawValue) \(path)"
        let resize = resizeText.map { "; \($0)" } ?? ""
        return "\(outcome.rawValue): \(reason); \(peak)\(resize); \(elapsed.shortText); \(place)"
    }

    private var largestLimit: Int {
        resized?.took == nil ? limits.hardBytes : max(limits.hardBytes, resize?.bytes ?? 0)
    }

    private var resizeText: String? {
        guard let resize, let resized else { return nil }
        let what = "the limit was to be \(ByteCount(resize.bytes)) after \(resize.after.shortText)"
        if let prepared = resized.prepared, prepared.end != .exited(0) {
            return what + ": not set, as --before-resize \(prepared.end.text)"
        }
        guard let begun = resized.begun else {
            return what
                + (resized.failure.map { ": --before-resize could not be started: \($0)" }
                    ?? ", when the command had ended")
        }
        let usage = resized.usageBytes.map { ", which used \(ByteCount($0))" } ?? ""
        let refusals = resized.refusals == 0 ? "not refused" : "refused \(resized.refusals.counted("time", "times"))"
        let set =
            resized.took.map { "set within \($0.shortText)" } ?? resized.failure.map { "never set: \($0)" }
            ?? "never set"
        return what + ": written after \(begun.shortText)\(usage), \(refusals), \(set)"
    }

    private var reason: String {
        let asked = stoppedBy.map { "the tool was sent signal \($0), " } ?? ""
        switch (outcome, end) {
        case (.killed, _):
            return "the OOM killer took \(oomKills.counted("process", "processes"))"
        case (_, .exited(let status)):
            return asked + "the command ended with status \(status)"
        case (_, .signalled(let signal)):
            return asked + "the command ended by signal \(signal)"
        }
    }

    var json: JSONText {
        var status: Int?
        var signal: Int?
        switch end {
        case .exited(let value): status = Int(value)
        case .signalled(let value): signal = Int(value)
        }
        return .object([
            ("outcome", .string(outcome.rawValue)),
            ("status", .integer(status)),
            ("signal", .integer(signal)),
            ("stoppedBy", .integer(stoppedBy.map(Int.init))),
            ("cgroup", .string(version.rawValue)),
            ("path", .string(path)),
            ("pressurePath", .string(pressurePath)),
            ("limitBytes", .integer(limits.hardBytes)),
            ("highBytes", .integer(limits.highBytes)),
            ("swapBytes", .integer(limits.swapBytes)),
            ("resize", resizeJSON),
            ("peakBytes", .integer(peakBytes)),
            ("oomKills", .integer(oomKills)),
            ("stallMicroseconds", .integer(stallMicroseconds)),
            ("seconds", .number(elapsed.inSeconds)),
        ])
    }

    /// As a shell gives it.
    private var preparationStatus: Int? {
        switch resized?.prepared?.end {
        case nil: nil
        case .exited(let status): Int(status)
        case .signalled(let signal): 128 + Int(signal)
        }
    }

    private var resizeJSON: JSONText {
        guard let resize, let resized else { return .null }
        return .object([
            ("limitBytes", .integer(resize.bytes)),
            ("preparationStatus", .integer(preparationStatus)),
            ("preparationMilliseconds", resized.prepared.map { .number($0.took.inSeconds * 1000) } ?? .null),
            ("seconds", resized.begun.map { .number($0.inSeconds) } ?? .null),
            ("usageBytes", .integer(resized.usageBytes)),
            ("refusals", .integer(resized.refusals)),
            ("milliseconds", resized.took.map { .number($0.inSeconds * 1000) } ?? .null),
        ])
    }
}
