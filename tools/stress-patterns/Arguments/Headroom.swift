internal import MemoryPressure

/// The headroom of this process as the library measures it.
enum Headroom {
    /// Bytes until the tightest limit; throws where no cgroup is limited, as the machine's memory is not to be used up.
    static func measured() throws -> Int {
        let reading: MemoryReading
        do {
            reading = try KernelReader().read(.full, at: SystemMonotonicClock().now, includingStall: false)
        } catch {
            throw StressError("--limit headroom: \(error)")
        }
        guard reading.isLimited else {
            throw StressError(
                "--limit headroom is for a process under a memory limit: put 'jetsam-stress run' before it")
        }
        return reading.headroomBytes
    }
}
