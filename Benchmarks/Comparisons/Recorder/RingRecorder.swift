import ComparisonSupport
import Glibc
import Jetsam
import MemoryPressure

/// The flight recorder, of the default size.
struct RingRecorder: Contender {
    static let slots = (1 << 20) / 256

    private let recorder: FlightRecorder
    private let directory: String

    init() {
        var template = Array("/tmp/jetsam-bench-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { stop("no directory can be made in /tmp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do {
            let run = RunIdentity.current(
                in: KernelRoot(), processID: getpid(), wallClock: 0, start: MonotonicInstant(nanoseconds: 0))
            recorder = try FlightRecorder(directory: directory, capacityBytes: 1 << 20, run: run)
        } catch {
            stop("\(error)")
        }
    }

    func record(_ time: Int64, _ payload: UnsafeRawBufferPointer) {
        unsafe recorder.append(RecordKind(rawValue: 100), at: MonotonicInstant(nanoseconds: time), payload)
    }

    func end() {
        _ = unsafe unlink(recorder.path)
        _ = unsafe rmdir(directory)
    }
}
