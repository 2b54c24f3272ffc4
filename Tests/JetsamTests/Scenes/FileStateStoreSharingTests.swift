import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One directory, several stores, as of two containers on one volume.
struct FileStateStoreSharingTests {
    private static func scene(_ stamp: UInt64) -> StoredScene {
        StoredScene(identifier: "a", priority: .normal, expectedBytes: 0, stamp: stamp)
    }

    @Test("Two stores that write one scene at the same time, while others open the directory, lose and tear nothing")
    func writing() async throws {
        let directory = try TemporaryDirectory(isQuick: true)
        let path = directory.path.appending("states")
        let stores = [try FileStateStore(directory: path), try FileStateStore(directory: path)]
        try await withThrowingTaskGroup { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    for round in 1...200 {
                        // Of different lengths: a file that both wrote would be torn.
                        let bytes = [UInt8](repeating: UInt8(round), count: index == 0 ? 20_000 : 200_000)
                        try await store.save(Self.scene(UInt64(round)), SceneStateData(version: 1, bytes: bytes))
                        let read = try #require(try await store.load("a"))
                        #expect(Set(read.1.bytes).count == 1)
                    }
                }
            }
            group.addTask { for _ in 0..<200 { _ = try FileStateStore(directory: path) } }
            try await group.waitForAll()
        }
        #expect(try TemporaryDirectory.names(path) == ["s-a.scene"])
    }

    @Test("A state that one store removes by its stamp does not come back because another opens the directory")
    func removing() async throws {
        let directory = try TemporaryDirectory(isQuick: true)
        let path = directory.path.appending("states")
        let store = try FileStateStore(directory: path)
        try await withThrowingTaskGroup { group in
            group.addTask {
                for round in 1...200 as ClosedRange<UInt64> {
                    try await store.save(Self.scene(round), SceneStateData(version: 1, bytes: [1]))
                    try await store.remove("a", stamp: round)
                    #expect(try await store.load("a") == nil)
                }
            }
            group.addTask { for _ in 0..<400 { _ = try FileStateStore(directory: path) } }
            try await group.waitForAll()
        }
        #expect(try TemporaryDirectory.names(path) == [])
    }

    @Test("What another process works on stays when the directory is opened, and goes when that process is gone")
    func abandoned() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        _ = try FileStateStore(directory: path)
        let names = ["s-a.scene.0123456789abcdef.tmp", "s-b.scene.0123456789abcdef.gone"]
        var held: [FileDescriptor] = []
        for name in names {
            let state = StateFormat.encode(Self.scene(1), SceneStateData(version: 1, bytes: [1]))
            try TemporaryDirectory.write(state, to: path.appending(name))
            let file = try FileDescriptor.open(path.appending(name), .readOnly)
            #expect(flock(file.rawValue, LOCK_EX) == 0)
            held.append(file)
        }
        _ = try FileStateStore(directory: path)
        #expect(try TemporaryDirectory.names(path) == names)
        for file in held { try file.close() }
        _ = try FileStateStore(directory: path)
        #expect(try TemporaryDirectory.names(path) == ["s-b.scene"])
    }
}
