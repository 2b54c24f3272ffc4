import Testing

@testable import JetsamConfiguration

struct ConfigurationTextTests {
    @Test(
        "A time is a number with its unit, exact to the nanosecond",
        arguments: [
            ("250ms", Duration.milliseconds(250)), ("10s", .seconds(10)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
            ("1.5s", .milliseconds(1500)), ("0.001s", .milliseconds(1)), ("7us", .microseconds(7)),
            ("3ns", .nanoseconds(3)),
            ("0", .zero), ("0s", .zero), ("1.50ms", .microseconds(1500)),
            ("0.000000001s", .nanoseconds(1)), ("0.1h", .seconds(360)),
        ])
    func durations(text: String, expected: Duration) {
        #expect(ConfigurationText.duration(text) == expected)
    }

    @Test(
        "What is no such time is refused",
        arguments: [
            "", "10", "s", ".5s", "1.s", "1..5s", "-1s", "+1s", "1e3s", "1s1", "10 seconds", "2 m", "1 0s", "1d",
            "0.5ns",
            "0.0000000001s",
            "9999999999999999999s", "9223372036854775807h", "١s", "1.٢s", "nan", "1min", "10S",
        ])
    func noDurations(text: String) {
        #expect(ConfigurationText.duration(text) == nil)
    }

    @Test("A time is written so that it reads the same")
    func durationsRoundTrip() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let nanoseconds = Int64.random(in: 0...(3_600_000_000_000 >> Int64.random(in: 0..<40)), using: &generator)
            let duration = Duration.nanoseconds(nanoseconds)
            #expect(ConfigurationText.duration(ConfigurationText.text(duration: duration)) == duration)
        }
        #expect(ConfigurationText.text(duration: .seconds(90)) == "90s")
        #expect(ConfigurationText.text(duration: .seconds(120)) == "2m")
        #expect(ConfigurationText.text(duration: .zero) == "0s")
    }

    @Test("Bytes are written so that they read the same")
    func bytes() {
        for bytes in [0, 1, 1023, 1024, 3 << 19, 1 << 20, 3 << 30, 1 << 40, Int.max, -1] {
            #expect(ConfigurationText.bytes(ConfigurationText.text(bytes: bytes)) == bytes)
        }
        #expect(ConfigurationText.text(bytes: 64 << 20) == "64MiB")
        #expect(ConfigurationText.bytes("1.5 GiB") == 3 << 29)
        for text in ["12 apples", "1 2", "1  MiB", " 1", "1 ", "", "MiB", "1e3", "1MiB1"] {
            #expect(ConfigurationText.bytes(text) == nil)
        }
    }
}
