public import MemoryPressure

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What a manager takes from outside: the kernel's files, the time, and the process's environment variables.
///
/// Production uses ``init()``; tests replace the parts (see the `JetsamTesting` product).
public struct Environment: Sendable {
    /// Where the kernel's files are.
    public var kernelRoot = KernelRoot()
    /// Where the time comes from.
    public var clock: any MonotonicClock = SystemMonotonicClock()
    /// The wall clock in nanoseconds since 1970: looked at only to see that somebody has set it.
    package var wallClock: @Sendable () -> Int64 = { wallClockNanoseconds() }
    /// Environment variables; of these `MEMORY_PRESSURE_WATCH` and `MEMORY_PRESSURE_WRITE` are read.
    public var variables: [String: String]
    /// What gives memory back to the kernel.
    public var allocator: any Allocator = SystemAllocator()
    /// What calls the sampler; nil for a thread of its own.
    package var ticker: (any Ticker)?
    /// Whether kernel events are listened to. Made-up files have none.
    package var listensToKernel = true

    /// This process and this machine.
    public init() {
        variables = [:]
        for name in ["MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE"] {
            variables[name] = Self.variable(name)
        }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
