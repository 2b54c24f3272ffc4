internal import MemoryPressure

/// How limits rise again at `normal`: a share of the spare headroom a second, so that usage nears the edge and never saws.
struct Regrowth {
    private let configuration: ResourceManager.Configuration.Reclaim
    private var last: MonotonicInstant?

    static let interval = Duration.seconds(1)
    /// Above this percent of headroom limits serve nothing and are lifted.
    static let liftPercent = 50
    /// Growth of unmanaged memory for this long is kept free.
    private static let reserveSeconds = 10

    enum Decision: Equatable {
        case lift
        case raise(bytes: Int)
    }

    init(configuration: ResourceManager.Configuration.Reclaim) {
        self.configuration = configuration
    }

    mutating func next(
        reading: MemoryReading, thresholds: HeadroomThresholds, level: PressureLevel, growthRate: Int?
    ) -> Decision? {
        guard level == .normal else {
            last = reading.instant
            return nil
        }
        if let last, last.duration(to: reading.instant) < Self.interval { return nil }
        last = reading.instant
        if reading.headroomBytes / Self.liftPercent >= reading.limitBytes / 100 { return .lift }
        let floor = thresholds.regrowthFloor(percent: configuration.regrowthFloorPercent)
        let reserve = (growthRate ?? 0).multipliedReportingOverflow(by: Self.reserveSeconds)
        guard !reserve.overflow else { return nil }
        let spare = reading.headroomBytes - floor - reserve.partialValue
        let bytes = spare / 100 * configuration.regrowthPercent
        return bytes > 0 ? .raise(bytes: bytes) : nil
    }

    /// New limits that share `bytes` among the caches that are full, by their size.
    static func limits(_ clients: [ClientFacts], bytes: Int) -> [(id: UInt64, limitBytes: Int)] {
        // One that has not filled its limit has room already; raising it too would promise the same headroom twice.
        let full = clients.filter { client in
            guard let limit = client.limitBytes, !client.isBusy else { return false }
            return client.bytes >= limit - limit / 8
        }
        let total = full.reduce(0) { $0 + max(1, $1.bytes) }
        return full.compactMap { client in
            guard let limit = client.limitBytes else { return nil }
            let share = Double(bytes) * Double(max(1, client.bytes)) / Double(total)
            let raised = limit.addingReportingOverflow(Int(share))
            return raised.overflow || raised.partialValue == limit ? nil : (client.id, raised.partialValue)
        }
    }
}
