import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam

struct FileStateStoreTests {
    private static let state = SceneStateData(version: 3, bytes: [1, 2, 3])

    private static func scene(_ identifier: SceneIdentifier = "a", stamp: UInt64 = 1) -> StoredScene {
        StoredScene(identifier: identifier, priority: .low, expectedBytes: 99, stamp: stamp)
    }

    @Test("A state is there after the store is opened anew, with what was stored beside it")
    func roundTrip() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        do {
            let store = try FileStateStore(directory: path)
            #expect(try await store.load("a") == nil)
            try await store.save(Self.scene(stamp: 1), SceneStateData(version: 1, bytes: []))
            try await store.save(Self.scene(stamp: 2), Self.state)
        }
        let store = try FileStateStore(directory: path)
        let loaded = try #require(try await store.load("a"))
        #expect(loaded.0 == Self.scene(stamp: 2))
        #expect(loaded.1 == Self.state)
        #expect(try await store.list(limit: 10) == [Self.scene(stamp: 2)])
        #expect(try TemporaryDirectory.names(path) == ["s-a.scene"])
    }

    @Test("States that are saved together are all there, and one that cannot be stored takes no other along")
    func together() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        let store = try FileStateStore(directory: path)
        // A directory in the place of a state, which no file can replace.
        try makeDirectory(path.appending("s-s7.scene"), mode: 0o700)
        let failures = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1024)
                    let scene = Self.scene(SceneIdentifier("s\(number)")!)
                    do { try await store.save(scene, SceneStateData(version: 1, bytes: bytes)) } catch { return number }
                    return nil
                }
            }
            return await group.reduce(into: [Int]()) { failures, number in if let number { failures.append(number) } }
        }
        #expect(failures == [7])
        let again = try FileStateStore(directory: path)
        for number in 0..<300 where number != 7 {
            let stored = try await again.load(SceneIdentifier("s\(number)")!)
            #expect(stored?.1.bytes == [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1024))
        }
        #expect(try TemporaryDirectory.names(path).count == 300, "nothing half-written is left")
    }

    @Test("The directory has mode 0700 and its files 0600")
    func modes() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        let store = try FileStateStore(directory: path)
        try await store.save(Self.scene(), Self.state)
        _ = try await store.beginRestoration(of: "a")
        #expect(try TemporaryDirectory.mode(path) == 0o700)
        for name in try TemporaryDirectory.names(path) {
            #expect(try TemporaryDirectory.mode(path.appending(name)) == 0o600, "\(name)")
        }
    }

    @Test("A directory that others may read, a link and a file are refused")
    func insecure() throws {
        let directory = try TemporaryDirectory()
        let open = directory.path.appending("open")
        try makeDirectory(open, mode: 0o755)
        #expect(throws: SceneStateStoreError.self) { try FileStateStore(directory: open) }
        let real = directory.path.appending("real")
        try makeDirectory(real, mode: 0o700)
        let link = directory.path.appending("link")
        try makeLink(link, to: real)
        #expect(throws: SceneStateStoreError.self) { try FileStateStore(directory: link) }
        let file = directory.path.appending("file")
        try TemporaryDirectory.write([], to: file)
        #expect(throws: SceneStateStoreError.self) { try FileStateStore(directory: file) }
        #expect(throws: SceneStateStoreError.self) {
            try FileStateStore(directory: directory.path.appending("no/such/parent"))
        }
        _ = try FileStateStore(directory: real)
    }

    @Test(
        "What is damaged is kept aside, told, and stored over by nothing",
        arguments: ["cut", "flipped", "version", "long", "other"])
    func damage(kind: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        let store = try FileStateStore(directory: path, maximumStateBytes: 1000)
        try await store.save(Self.scene(), Self.state)
        let file = path.appending("s-a.scene")
        var bytes = try TemporaryDirectory.read(file)
        switch kind {
        case "cut": bytes.removeLast()
        case "flipped": bytes[bytes.count - 5] ^= 1
        case "version": bytes[8] = 9
        case "long": bytes += [UInt8](repeating: 0, count: 2000)
        default: bytes = StateFormat.encode(Self.scene("b"), Self.state)
        }
        try TemporaryDirectory.write(bytes, to: file)
        let error = await #expect(throws: SceneStateStoreError.self) { try await store.load("a") }
        #expect(error?.isDamage == true && error?.isUnavailability == false)
        #expect(try await store.load("a") == nil)
        try await store.save(Self.scene(stamp: 5), Self.state)
        let names = try TemporaryDirectory.names(path)
        let aside = try #require(names.first { $0.hasPrefix("s-a.scene.") && $0.hasSuffix(".bad") })
        #expect(names.count == 2)
        #expect(try TemporaryDirectory.read(path.appending(aside)) == bytes)
    }

    @Test("A link in place of a file is not followed")
    func link() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        let store = try FileStateStore(directory: path)
        let outside = directory.path.appending("outside")
        try TemporaryDirectory.write(StateFormat.encode(Self.scene(), Self.state), to: outside)
        try makeLink(path.appending("s-a.scene"), to: outside)
        await #expect(throws: SceneStateStoreError.self) { try await store.load("a") }
        try makeLink(path.appending("s-b.scene"), to: outside)
        try await store.save(Self.scene("b"), Self.state)
        #expect(try TemporaryDirectory.read(outside) == StateFormat.encode(Self.scene(), Self.state))
        #expect(try await store.load("b")?.1 == Self.state)
    }

    @Test("A state that is too long is refused, and the one before stays")
    func tooLong() async throws {
        let directory = try TemporaryDirectory()
        let store = try FileStateStore(directory: directory.path.appending("states"), maximumStateBytes: 10)
        try await store.save(Self.scene(), Self.state)
        await #expect(throws: SceneStateStoreError.tooLarge(bytes: 11, maximum: 10)) {
            try await store.save(Self.scene(), SceneStateData(version: 1, bytes: [UInt8](repeating: 0, count: 11)))
        }
        #expect(try await store.load("a")?.1 == Self.state)
    }

    @Test("Removing by stamp takes only the state that was stored with it")
    func removing() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        let store = try FileStateStore(directory: path)
        try await store.save(Self.scene(stamp: 1), Self.state)
        try await store.remove("a", stamp: 2)
        #expect(try await store.load("a") != nil)
        try await store.remove("a", stamp: 1)
        #expect(try await store.load("a") == nil)
        try await store.save(Self.scene(stamp: 3), Self.state)
        try await store.remove("a", stamp: nil)
        try await store.remove("a", stamp: nil)
        #expect(try TemporaryDirectory.names(path) == [])
    }

    @Test("Restorations that began and did not end are counted, also over a new start")
    func marks() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        #expect(try await FileStateStore(directory: path).beginRestoration(of: "a") == 0)
        let store = try FileStateStore(directory: path)
        #expect(try await store.unfinishedRestorations(of: "a") == 1)
        #expect(try await store.beginRestoration(of: "a") == 1)
        #expect(try await store.unfinishedRestorations(of: "a") == 2)
        try TemporaryDirectory.write([1, 2, 3], to: path.appending("s-a.restoring"))
        #expect(try await store.unfinishedRestorations(of: "a") == 1, "a mark that cannot be read counts")
        try await store.endRestoration(of: "a")
        try await store.endRestoration(of: "a")
        #expect(try await store.unfinishedRestorations(of: "a") == 0)
    }

    @Test("Listing leaves out what is damaged or not a state, and keeps to its bound")
    func listing() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        let store = try FileStateStore(directory: path)
        for name in ["a", "b", "c"] { try await store.save(Self.scene(SceneIdentifier(name)!), Self.state) }
        try TemporaryDirectory.write([1, 2, 3], to: path.appending("s-b.scene"))
        try TemporaryDirectory.write([1, 2, 3], to: path.appending("note.txt"))
        #expect(try await store.list(limit: 10).map(\.identifier) == ["a", "c"])
        #expect(try await store.list(limit: 1).map(\.identifier) == ["a"])
    }

    @Test("What a crash left half done is finished at the next start")
    func tidying() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path.appending("states")
        do {
            let store = try FileStateStore(directory: path)
            try await store.save(Self.scene("a"), Self.state)
        }
        // A file that was being written by a process that is gone, and one that was being removed.
        try TemporaryDirectory.write([1], to: path.appending("s-b.scene.999999999.tmp"))
        let removed = StateFormat.encode(Self.scene("c"), Self.state)
        try TemporaryDirectory.write(removed, to: path.appending("s-c.scene.0123456789abcdef.gone"))
        let store = try FileStateStore(directory: path)
        #expect(try TemporaryDirectory.names(path) == ["s-a.scene", "s-c.scene"])
        #expect(try await store.load("c")?.1 == Self.state)
    }
}
