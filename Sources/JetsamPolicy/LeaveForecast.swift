internal import MemoryPressure

/// The figures that make this process leave before there is an emergency.
package struct LeaveForecast: Equatable {
    /// Nanoseconds that leaving takes.
    package var leavingNanoseconds: Int64
    /// The least growth of unmanaged memory that was seen, in bytes a second.
    package var growthRate: Int
    /// Bytes needed until this process has left, and how much of them is missing with all that caches can give.
    package var neededBytes: Int
    package var missingBytes: Int
}
