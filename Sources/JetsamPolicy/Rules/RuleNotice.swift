internal import MemoryPressure

/// News for the rules that comes beside the readings.
enum RuleNotice {
    /// The process did not run for a while.
    case paused
    /// The application holds a level, until then or until told otherwise; `normal` ends that.
    case held(PressureLevel, until: MonotonicInstant?)
    /// The supervisor says that memory is short.
    case supervisorWarns(until: MonotonicInstant)
    /// Other settings hold from now on.
    case reconfigured(ManagerConfiguration)
}
