package import MemoryPressure

/// The owner of a shortage: steps that cannot be taken back are made only where they can help.
package struct Shortage: Equatable {
    /// A process takes part where it has so many quarters of what the processes of its group have on average: kernel memory and
    /// shared pages are in nobody's footprint.
    private static let leastQuarters = 3
    /// The number of processes that a group is taken to have where they cannot be counted.
    package static let assumedSharers = 4

    /// A cgroup's hard limit is near, rather than the end of the machine's memory.
    var isOfLimit = true
    /// This process has its part in it.
    package var isOurs = true
    /// The number of processes that share the tightest level; 0 where nobody looked.
    package var sharers = 0

    package init() {}

    /// - Parameter sharers: 0 where nobody looked: then nothing is known against this process.
    package init(_ reading: MemoryReading, sharers: Int) {
        self.sharers = sharers
        isOfLimit = reading.isLimited
        guard sharers > 0 else { return }
        let used = reading.unreclaimableBytes
        isOurs =
            if reading.isLimited {
                sharers == 1 || reading.footprintBytes >= used / sharers / 4 * Self.leastQuarters
            } else {
                reading.footprintBytes >= used / 2
            }
    }
}
