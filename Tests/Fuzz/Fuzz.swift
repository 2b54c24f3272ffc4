import Jetsam
import JetsamConfiguration
import JetsamTrace
import MemoryPressure

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What reads bytes that somebody else wrote, each as libFuzzer calls it. `JETSAM_FUZZ_TARGET` says which.
///
/// Any bytes have to be answered, in bounded time and memory, without a trap; what is read is of no matter here.
private enum Target: String, CaseIterable {
    case configuration, trace, ring, socket

    static let chosen: Target = {
        let name = unsafe getenv("JETSAM_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
        guard let target = Target(rawValue: name) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            print("JETSAM_FUZZ_TARGET must be one of \(names), not '\(name)'")
            exit(64)
        }
        return target
    }()

    func read(_ bytes: [UInt8]) {
        switch self {
        case .configuration: _ = CheckReport(checking: bytes)
        case .trace: Self.replay(bytes)
        case .ring: _ = try? RecordingContents(bytes)
        case .socket: _ = try? ControlRequest(bytes)
        }
    }

    /// Reads a trace and decides it again, under its own configuration and under another.
    private static func replay(_ bytes: [UInt8]) {
        var reader = TraceLineReader()
        var replay = Replay()
        var trial: Trial?
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            guard let read = try? unsafe Array(line).withUnsafeBytes({ unsafe try reader.read($0) }) else { continue }
            guard (try? reader.checkBounds(at: read.instant)) != nil else { continue }
            guard (try? replay.feed(read.event, at: read.instant)) != nil else { continue }
            if case .trace(let header) = read.event, trial == nil {
                trial = Trial(ManagerConfiguration(), header: header)
            }
            trial?.feed(read.event, at: read.instant)
            replay.dropLines()
        }
        replay.finish()
        trial?.finish()
    }
}

/// libFuzzer's loop.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ read: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@main
private enum Fuzz {
    static func main() {
        _ = Target.chosen
        var count = CommandLine.argc
        var arguments = unsafe CommandLine.unsafeArgv
        exit(
            unsafe runFuzzer(&count, &arguments) { start, count in
                Target.chosen.read(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
                return 0
            })
    }
}
