internal import MemoryPressure

/// How fast one cache gives: the time until its first byte, and the bytes a second from then on.
///
/// The two are told apart by calls of different size. A cache that takes its time however little is asked for is to be asked for more at
/// once; one that takes longer for more is not.
package struct ReleaseSpeed: Equatable {
    /// Nanoseconds from the call to the first byte; nil while only calls of about one size were seen. It is 1 at least: in a trace 0 says
    /// that it is not known.
    package private(set) var latencyNanoseconds: Int? {
        didSet { latencyNanoseconds = latencyNanoseconds.map { max(1, $0) } }
    }
    /// Bytes a second after that; in all, where the latency is not known. Nil before the first call that tells.
    package private(set) var bytesPerSecond: Double?
    /// The call that the next one is compared with.
    package private(set) var last: Call?
    /// Indicates whether a call was seen since it was made.
    package private(set) var isMeasured = false

    /// One call of a handler.
    package struct Call: Equatable {
        /// Bytes that it gave.
        package var bytes: Int
        /// The time that it took.
        package var nanoseconds: Int

        package init(bytes: Int, nanoseconds: Int) {
            self.bytes = bytes
            self.nanoseconds = nanoseconds
        }

        var seconds: Double { Double(nanoseconds) * 1e-9 }
        /// Seconds that a byte took, the latency included.
        var perByte: Double { seconds / Double(bytes) }
    }

    /// Less says nothing about how fast it is.
    private static let leastMeasured = 1 << 20
    /// Calls whose sizes differ by less than this part of the smaller one tell nothing about latency.
    private static let leastDifference = 0.25
    /// No more than so many times as fast as the whole call is what its bytes may seem to take.
    private static let steepest = 16.0
    /// Nobody gives memory back faster, in bytes a second: whoever says so did not give.
    private static let fastest = 4e9
    /// Asked for at a time, a cache is expected to give in this part of its deadline.
    static let deadlineShare = 4.0
    /// A cache with a long latency may take so many parts, and gives for so many times its latency, where it has the time.
    private static let mostShares = 3.0
    private static let mostLatencies = 6.0
    /// Smaller portions would be more calls than help.
    static let leastPortion = 4 << 20

    /// - Parameter last: The last call of an earlier step, if it is known.
    package init(bytesPerSecond: Double? = nil, latencyNanoseconds: Int? = nil, last: Call? = nil) {
        self.bytesPerSecond = bytesPerSecond
        self.latencyNanoseconds = latencyNanoseconds.map { max(1, $0) }
        self.last = last
    }

    /// The same at the beginning of a step: no call of that step was seen.
    package var atBeginning: ReleaseSpeed {
        ReleaseSpeed(bytesPerSecond: bytesPerSecond, latencyNanoseconds: latencyNanoseconds, last: last)
    }

    /// Takes a call that gave so many bytes in that time.
    package mutating func note(_ bytes: Int, in time: Duration) {
        guard bytes >= Self.leastMeasured else { return }
        let call = Call(bytes: bytes, nanoseconds: max(1_000, Int(time.nanoseconds)))
        defer {
            last = call
            isMeasured = true
        }
        if let last, tellsLatency(last, call) {
            tellApart(last, call)
        } else if let rate = bytesPerSecond, latencyNanoseconds != nil {
            scale(by: call.seconds / (latency + Double(call.bytes) / rate))
        } else {
            let rate = 1 / call.perByte
            bytesPerSecond = isMeasured ? rate : bytesPerSecond.map { rate < $0 ? rate : $0 * 0.5 + rate * 0.5 } ?? rate
        }
    }

    /// Returns whether two calls differ enough in size to show the latency. A call of an earlier step shows it only where the larger one
    /// took longer, and less time a byte. Else the cache has become slower or faster since.
    private func tellsLatency(_ first: Call, _ second: Call) -> Bool {
        guard differs(Double(first.bytes), Double(second.bytes)) else { return false }
        let (small, large) = first.bytes <= second.bytes ? (first, second) : (second, first)
        return isMeasured || (large.perByte < small.perByte && large.nanoseconds > small.nanoseconds)
    }

    private func differs(_ first: Double, _ second: Double) -> Bool {
        abs(first - second) >= min(first, second) * Self.leastDifference
    }

    private mutating func tellApart(_ first: Call, _ second: Call) {
        let whole = min(first.perByte, second.perByte)
        let slope = (second.seconds - first.seconds) / Double(second.bytes - first.bytes)
        let perByte = max(min(max(slope, whole / Self.steepest), whole), 1 / Self.fastest)
        bytesPerSecond = 1 / perByte
        latencyNanoseconds = Int(saturating: max(0, second.seconds - Double(second.bytes) * perByte) * 1e9)
    }

    /// It was slower than known, or faster: the one is believed at once, the other by half.
    private mutating func scale(by factor: Double) {
        let factor = factor > 1 ? factor : (1 + factor) / 2
        bytesPerSecond = bytesPerSecond.map { $0 / factor }
        latencyNanoseconds = latencyNanoseconds.map { Int(saturating: Double($0) * factor) }
    }

    /// Returns whether it gives for too short a time, beside its latency, in the most that a portion may take. Where the latency is not
    /// known, the whole of a last call that took longer than that may have been latency.
    func isCramped(deadline: Duration) -> Bool {
        let most = Self.mostShares / Self.deadlineShare * Double(deadline.nanoseconds) * 1e-9
        if latencyNanoseconds == nil, let last { return last.seconds > most }
        return latency * (1 + Self.mostLatencies) > most
    }

    /// Bytes that it gives in so many times its latency that this is little beside them. Where the latency is not known the whole last call
    /// may have been latency.
    var effectiveBytes: Int {
        let latency = latencyNanoseconds == nil ? last?.seconds ?? 0 : latency
        return Int(saturating: (bytesPerSecond ?? 0) * latency * Self.mostLatencies)
    }

    /// Indicates whether a call ever told how fast it is. Else the speed is assumed.
    var wasSeen: Bool { last != nil || latencyNanoseconds != nil }

    private var latency: Double { Double(latencyNanoseconds ?? 0) * 1e-9 }

    /// Returns the bytes to ask for at a time: what is given in a part of the deadline, or in up to three of them where most of one
    /// would be latency.
    ///
    /// - Parameter isUrgent: Others are asked for the same bytes after one part of the deadline: it is not asked for more than it gives in
    ///   such a part, latency apart.
    func portionBytes(deadline: Duration, assuming assumed: Double, isUrgent: Bool = false) -> Int {
        let share = Double(deadline.nanoseconds) * 1e-9 / Self.deadlineShare
        let rate = bytesPerSecond ?? assumed
        guard latencyNanoseconds != nil else {
            let bytes = max(Double(Self.leastPortion), rate * share)
            return Int(saturating: probing(bytes, share))
        }
        let most = Self.mostShares * share
        // One that cannot be in time is left behind, and what it gives then comes late.
        let giving =
            latency >= most
            ? share
            : max(share - latency, min(Self.mostLatencies * latency, most - latency), share / Self.deadlineShare)
        return max(Self.leastPortion, Int(saturating: rate * (isUrgent ? min(giving, share) : giving)))
    }

    /// The same again would tell no more than that it takes too long. More tells how much of that is latency.
    private func probing(_ bytes: Double, _ share: Double) -> Double {
        guard let last, last.seconds > share, !differs(bytes, Double(last.bytes)) else { return bytes }
        // One that cannot be in time is not waited for either way.
        let factor = last.seconds > Self.mostShares * share ? 2 : min(2, Self.mostShares * share / last.seconds)
        return factor < 1 + Self.leastDifference ? bytes : max(bytes, Double(last.bytes) * factor)
    }

    /// Returns the bytes that it gives within a time.
    func bytes(within time: Duration, assuming assumed: Double) -> Int {
        let seconds = Double(time.nanoseconds) * 1e-9 - latency
        return Int(saturating: max(0, seconds) * (bytesPerSecond ?? assumed))
    }

    /// Returns the time in which so many bytes are expected; nil before the first call that tells.
    func timeToGive(_ bytes: Int) -> Duration? {
        bytesPerSecond.map { .nanoseconds(Int64(Int(saturating: (latency + Double(bytes) / $0) * 1e9))) }
    }
}
