import MemoryPressure
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

/// Allocators that take the place of glibc's in a process of their own, and what a trim of each brings there.
@Suite(.enabled(if: !ToolProcess.isSanitized, "not under a sanitizer, which is the allocator itself"))
struct PreloadedAllocatorTests {
    /// What the probe says.
    private struct Answer {
        var name: String
        var canTrim: Bool
        /// MiB that are resident: when blocks were allocated, after they were freed, and after a trim.
        var filled: Int, freed: Int, trimmed: Int

        init(_ line: String) throws {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            try #require(words.count == 6, "\(line)")
            (name, canTrim) = (words[0], words[1] == "true")
            (filled, freed, trimmed) = (
                try #require(Int(words[2])), try #require(Int(words[3])), try #require(Int(words[4]))
            )
        }
    }

    private static func probe(_ name: String, preloading library: String? = nil) async throws -> Answer {
        let environment = ["LD_PRELOAD=\(library ?? "")", "MALLOC_CONF=dirty_decay_ms:-1"]
        let run = try ToolProcess(
            [name], in: TemporaryDirectory(), tool: "allocator-probe", environment: environment)
        let end = await run.end()
        #expect(end == .exited(0), "\(run.errors)")
        return try Answer(run.output)
    }

    /// Where the loader finds a library that Debian installs.
    private static func has(_ library: String) -> Bool {
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
            .contains { Syscalls.exists("\($0)/\(library)") }
    }

    @Test("Without one that is preloaded glibc's is found, and its trim brings what any thread has freed")
    func glibc() async throws {
        let answer = try await Self.probe("waits")
        #expect(answer.name == "glibc" && answer.canTrim)
        #expect(answer.filled >= 128)
        #expect(answer.trimmed <= 16)
    }

    @Test(
        "A preloaded jemalloc is found, and its purge brings what any thread has freed",
        .enabled(if: has("libjemalloc.so.2"), "needs libjemalloc2"), arguments: ["same", "waits", "foreign-waits"])
    func jemalloc(name: String) async throws {
        let answer = try await Self.probe(name, preloading: "libjemalloc.so.2")
        #expect(answer.name == "jemalloc" && answer.canTrim)
        #expect(answer.freed >= 96, "nothing decays by itself here")
        #expect(answer.trimmed <= 16)
    }

    @Test(
        "A preloaded mimalloc is found, and not taken for glibc's, whose second name it takes",
        .enabled(if: has("libmimalloc.so.2"), "needs libmimalloc2.0"))
    func mimalloc() async throws {
        let answer = try await Self.probe("same", preloading: "libmimalloc.so.2")
        #expect(answer.name == "mimalloc" && answer.canTrim)
        #expect(answer.filled >= 128)
        // It keeps some segments.
        #expect(answer.trimmed <= 64)
    }

    @Test(
        "An allocator that nobody knows how to trim is not taken for glibc's, whose second name it takes",
        .enabled(if: has("libtcmalloc_minimal.so.4"), "needs libtcmalloc-minimal4"))
    func tcmalloc() async throws {
        let answer = try await Self.probe("same", preloading: "libtcmalloc_minimal.so.4")
        #expect(answer.name == "unknown" && !answer.canTrim)
    }
}
