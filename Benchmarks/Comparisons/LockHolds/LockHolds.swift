import CacheStalls
import ComparisonSupport
import Glibc
import LockHoldClock

/// `LockHolds lock-worst[-16MiB] WHO` prints how long the longest hold of a lock was in `CASE WHO VALUE ms`, over everything that
/// ``Stalls/worstInsertion(_:segmentBytes:)`` does and the release of all of it. A program of its own: it is built with a clock in
/// every lock, which would cost the other figures time.
@main
enum LockHolds {
    static func main() {
        let arguments = CommandLine.arguments
        switch arguments.count == 3 ? (arguments[1], arguments[2]) : ("", "") {
        case ("lock-worst", "jetsam"): measure(StallingValues.self)
        case ("lock-worst", "jetsam-bytes"): measure(StallingBytes.self)
        case ("lock-worst-16MiB", "jetsam-bytes"): measure(StallingBytes.self, segmentBytes: 16 << 20)
        default:
            stop(
                "a case and a way are needed: lock-worst and jetsam or jetsam-bytes, or lock-worst-16MiB and jetsam-bytes"
            )
        }
        let longest = jetsam_lock_holds_longest()
        guard longest >= 0 else { stop("no lock was timed: build with -Xcc -DJETSAM_MEASURES_LOCK_HOLDS") }
        print(arguments[1], arguments[2], Double(longest) * 1e-6, "ms")
        fflush(nil)
        _exit(0)
    }

    private static func measure<C: StallingCache>(_ kind: C.Type, segmentBytes: Int = 1 << 20) {
        let cache = kind.init(entries: Stalls.entries, segmentBytes: segmentBytes)
        Stalls.churn(cache) { put in
            jetsam_lock_holds_begin()
            put()
        }
        jetsam_lock_holds_begin()
        cache.release(bytes: .max)
    }
}
