import Testing

@testable import JetsamSystem

@Suite struct ByteCountTests {
    @Test(
        arguments: [
            ("0", 0), ("4096", 4096), ("512MiB", 536_870_912), ("512 MiB", 536_870_912), ("512m", 536_870_912),
            ("200MB", 200_000_000), ("200mb", 200_000_000), ("1.5 GiB", 1_610_612_736), ("1kB", 1000), ("1KiB", 1024),
            ("1K", 1024), ("2TB", 2_000_000_000_000), ("1_000_000", 1_000_000), ("0.5B", 1), ("7B", 7),
            ("", nil), ("MiB", nil), ("-1", nil), ("1XB", nil), ("1.2.3", nil), ("five", nil), ("1e3", nil),
            ("9223372036854775807GiB", nil), ("٣MiB", nil), ("1 Mi B x", nil),
        ] as [(String, Int?)])
    func `sizes are read as people write them`(text: String, bytes: Int?) {
        #expect(ByteCount(parsing: text)?.bytes == bytes)
    }

    @Test(
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (512 << 20, "512 MiB"),
            (1_610_612_736, "1.5 GiB"), (-(25 << 20), "-25 MiB"), (1_048_575, "1024 KiB"),
        ])
    func `sizes are written in binary units with one decimal`(bytes: Int, text: String) {
        #expect(ByteCount(bytes).description == text)
    }
}
