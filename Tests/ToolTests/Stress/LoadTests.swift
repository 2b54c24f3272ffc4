import MemoryPressure
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

@Suite struct LoadTests {
    @Test("Anonymous memory is held to the byte, given back, and can be taken again")
    func anonymous() throws {
        let load = try AnonymousLoad(capacity: 1 << 20)
        try load.grow(bytes: 100)
        try load.grow(bytes: (1 << 20) - 100)
        #expect(load.heldBytes == 1 << 20)
        load.giveBack(bytes: 1 << 19)
        #expect(load.heldBytes == 1 << 19)
        try load.grow(bytes: 1 << 19)
        #expect(load.heldBytes == 1 << 20)
        load.giveBack(bytes: 2 << 20)
        #expect(load.heldBytes == 0)
    }

    @Test("More address space than there is, is a clear error")
    func tooMuch() {
        let error = #expect(throws: StressError.self) { try AnonymousLoad(capacity: 1 << 60) }
        #expect(error?.description.contains("\(1 << 60) bytes of address space") == true)
    }

    @Test(
        "Fragmenting frees at random while it fills, and the same seed does the same", arguments: [1, 2, 3] as [UInt64])
    func fragment(seed: UInt64) {
        let first = FragmentLoad(seed: seed)
        let second = FragmentLoad(seed: seed)
        for load in [first, second] {
            for _ in 0..<16 { load.grow(bytes: 64 << 10) }
        }
        #expect(first.heldBytes == 1 << 20)
        #expect(first.blocksTaken == second.blocksTaken && first.blockCount == second.blockCount)
        #expect(first.blocksTaken > 512 && first.blockCount < first.blocksTaken * 4 / 5)
        first.giveBack(bytes: 900 << 10)
        #expect(first.heldBytes <= 124 << 10 && first.heldBytes > (124 << 10) - FragmentLoad.sizes.upperBound)
    }

    @Test("Another seed picks other blocks")
    func seeds() {
        let loads = [FragmentLoad(seed: 1), FragmentLoad(seed: 2)]
        for load in loads { load.grow(bytes: 1 << 20) }
        #expect(loads[0].blocksTaken != loads[1].blocksTaken)
    }

    @Test("The file is written to its size, read page by page, and has no name")
    func file() throws {
        let directory = try TemporaryDirectory()
        let load = try FileLoad(directory: directory.path)
        try load.grow(bytes: 300_000)
        #expect(load.heldBytes == 300_000)
        #expect(directory.isEmpty)
        try load.walk(bytes: 1 << 20)
        #expect(load.pagesRead == (1 << 20) / System.pageSize)
    }

    @Test("A directory that is not there is named")
    func noDirectory() {
        let error = #expect(throws: StressError.self) { try FileLoad(directory: "/nonexistent") }
        #expect(error?.description.contains("--directory /nonexistent") == true)
    }

    @Test("JSON is written with its keys in order and its strings escaped")
    func json() {
        let value = JSONText.object([
            ("b", .integer(-1)), ("a", .array([.null, .bool(true), .number(1.23456)])), ("c\"", .string("\\\n\u{1}é")),
        ])
        #expect(value.description == #"{"b":-1,"a":[null,true,1.235],"c\"":"\\\n\u0001é"}"#)
    }
}
