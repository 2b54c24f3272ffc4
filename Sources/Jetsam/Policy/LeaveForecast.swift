internal import MemoryPressure

/// Why this process would leave before there is an emergency.
struct LeaveForecast: Equatable {
    /// Nanoseconds that leaving takes.
    var leavingNanoseconds: Int64
    /// The least growth of unmanaged memory that was seen, in bytes a second.
    var growthRate: Int
    /// Bytes needed until this process has left, and how much of them is missing with all that caches can give.
    var neededBytes: Int
    var missingBytes: Int
}
