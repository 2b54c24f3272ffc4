import JetsamSystem
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct LocalTimeTests {
    @Test(
        "The local time is ahead of UTC by what the C library's calendar says",
        arguments: [0, 1_700_000_000, 1_720_000_000])
    func secondsFromUTC(seconds: Int) {
        var time = time_t(seconds)
        var local = unsafe tm()
        _ = unsafe localtime_r(&time, &local)
        // The same day of the calendar, read as if it were UTC.
        let asUTC = unsafe timegm(&local)
        #expect(localSecondsFromUTC(wallClock: Int64(seconds) * 1_000_000_000) == asUTC - seconds)
    }
}
