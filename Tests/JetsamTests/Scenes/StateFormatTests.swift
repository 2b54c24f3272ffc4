import Testing

@testable import Jetsam

struct StateFormatTests {
    private static let scene = StoredScene(
        identifier: "tenant/42", priority: .high, expectedBytes: 123_456_789, stamp: 0xFEDC_BA98_7654_3210)
    private static let state = SceneStateData(version: 7, bytes: Array("where to go on".utf8))

    @Test("CRC-32C gives the published check values")
    func checksum() {
        // RFC 3720, appendix B.4, and the customary check over "123456789".
        #expect(Checksum.crc32c(Array("123456789".utf8)[...]) == 0xE306_9283)
        #expect(Checksum.crc32c([UInt8](repeating: 0, count: 32)[...]) == 0x8A91_36AA)
        #expect(Checksum.crc32c([UInt8](repeating: 0xFF, count: 32)[...]) == 0x62A8_AB43)
        #expect(Checksum.crc32c([UInt8](0..<32)[...]) == 0x46DD_794E)
        #expect(Checksum.crc32c([]) == 0)
    }

    @Test("What was written is read", arguments: [0, 1, 1000])
    func roundTrip(length: Int) throws {
        let state = SceneStateData(version: .max, bytes: (0..<length).map { UInt8(truncatingIfNeeded: $0) })
        let bytes = StateFormat.encode(Self.scene, state)
        let read = try StateFormat.decode(bytes, maximumStateBytes: 1000)
        #expect(read.0 == Self.scene)
        #expect(read.1 == state)
        #expect(bytes.count <= length + StateFormat.maximumOverhead)
    }

    @Test("The layout is the documented one")
    func layout() {
        let bytes = StateFormat.encode(Self.scene, Self.state)
        #expect(bytes[..<16] == [0x4A, 0x54, 0x53, 0x43, 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 0, 0, 7, 0, 0, 0])
        #expect(bytes[16..<24] == [0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE])
        #expect(bytes[32..<48] == [14, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 192, 0, 0, 0])
        #expect(bytes.count == 48 + 9 + 4 + 14 + 4)
    }

    @Test("Every cut is noticed")
    func cuts() {
        let bytes = StateFormat.encode(Self.scene, Self.state)
        for length in 0..<bytes.count {
            #expect(throws: SceneStateStoreError.self, "\(length)") {
                try StateFormat.decode(Array(bytes[..<length]), maximumStateBytes: 1000)
            }
        }
        #expect(throws: SceneStateStoreError.self) { try StateFormat.decode(bytes + [0], maximumStateBytes: 1000) }
    }

    @Test("Every flipped bit is noticed")
    func flips() {
        let bytes = StateFormat.encode(Self.scene, Self.state)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: SceneStateStoreError.self, "byte \(index), bit \(bit)") {
                    try StateFormat.decode(changed, maximumStateBytes: 1000)
                }
            }
        }
    }

    @Test("Noise is refused and never crashes", arguments: seedBatches)
    func noise(seeds: ClosedRange<UInt64>) {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            var bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // Half of them begin as they should, to get further.
            if seed.isMultiple(of: 2) {
                let start = StateFormat.encode(Self.scene, Self.state).prefix(.random(in: 0...70, using: &random))
                bytes.replaceSubrange(..<min(start.count, bytes.count), with: start)
            }
            #expect((try? StateFormat.decode(bytes, maximumStateBytes: 1000)) == nil, "seed \(seed)")
        }
    }

    @Test("Another version of the format is told from damage, and neither is a state that is too long")
    func reasons() {
        func error(_ change: (inout [UInt8]) -> Void, maximum: Int = 1000) -> SceneStateStoreError? {
            var bytes = StateFormat.encode(Self.scene, Self.state)
            change(&bytes)
            do throws(SceneStateStoreError) {
                _ = try StateFormat.decode(bytes, maximumStateBytes: maximum)
                return nil
            } catch {
                return error
            }
        }
        #expect(error { $0[8] = 2 }?.description.contains("format 2") == true)
        #expect(error({ _ in }, maximum: 13)?.description.contains("at most 13") == true)
        #expect(error { $0[0] = 0 }?.isDamage == true)
        #expect(error { _ in } == nil)
    }

    @Test("One kind is not taken for another")
    func kinds() {
        let bytes = StateFormat.encode(Self.scene, Self.state, kind: .handOver)
        #expect(throws: SceneStateStoreError.self) { try StateFormat.decode(bytes, maximumStateBytes: 1000) }
    }

    @Test("Names stay inside the directory, differ for different identifiers, and fit a file system")
    func names() {
        let texts = [
            "a", "A", ".", "..", "../../etc/passwd", "/", "a/b", "a%2fb", "a\0b", "s-a", "b-a", "Ä", "-", "a.scene",
            "~",
            String(repeating: "/", count: 128), String(repeating: "/", count: 127), String(repeating: "x", count: 128),
        ]
        let stems = texts.map { StateFileName.stem(SceneIdentifier($0)!) }
        #expect(Set(stems).count == texts.count)
        for stem in stems {
            #expect(
                !stem.contains("/") && !stem.contains("\0") && !stem.contains(".") && stem.utf8.count <= 200, "\(stem)")
        }
        #expect(stems[4] == "s-%2e%2e%2f%2e%2e%2fetc%2fpasswd")
        #expect(stems[15] == "b-" + String(repeating: "Ly8v", count: 42) + "Ly8")
    }
}
