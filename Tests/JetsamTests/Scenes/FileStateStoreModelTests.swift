import SystemPackage
import Testing

@testable import Jetsam

/// Random requests to the store, and damage done to its files in between, checked against a dictionary.
struct FileStateStoreModelTests {
    private struct Stored: Equatable {
        var stamp: UInt64
        var state: SceneStateData
    }

    private let names: [SceneIdentifier] = ["a", "../b", "c/d e"]

    @Test(
        "The store has what was stored last, or says that it is damaged; it never gives anything else",
        arguments: seedBatches)
    func model(seeds: ClosedRange<UInt64>) async throws {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let directory = try TemporaryDirectory(isQuick: true)
            let path = directory.path.appending("states")
            var store = try FileStateStore(directory: path, maximumStateBytes: 64)
            var model: [SceneIdentifier: Stored] = [:]
            var marks: [SceneIdentifier: Int] = [:]
            var damaged: Set<SceneIdentifier> = []
            var aside = 0
            for step in 0..<40 {
                let place: Comment = "seed \(seed), step \(step)"
                let name = names.randomElement(using: &random)!
                switch Int.random(in: 0..<9, using: &random) {
                case 0...2:
                    let stored = Stored(stamp: .random(in: 0...3, using: &random), state: state(&random))
                    let scene = StoredScene(identifier: name, priority: .low, expectedBytes: 5, stamp: stored.stamp)
                    let isStored = (try? await store.save(scene, stored.state)) != nil
                    #expect(isStored == (stored.state.bytes.count <= 64), place)
                    if isStored {
                        model[name] = stored
                        damaged.remove(name)
                    }
                case 3, 4:
                    do throws(SceneStateStoreError) {
                        let loaded = try await store.load(name)
                        #expect(!damaged.contains(name), place)
                        #expect(loaded.map { Stored(stamp: $0.0.stamp, state: $0.1) } == model[name], place)
                    } catch {
                        #expect(error.isDamage && damaged.contains(name), place)
                        damaged.remove(name)
                        model[name] = nil
                        aside += 1
                    }
                case 5:
                    let stamp = Bool.random(using: &random) ? nil : UInt64.random(in: 0...3, using: &random)
                    // What is damaged has no stamp that could be read.
                    guard !damaged.contains(name) else { continue }
                    try await store.remove(name, stamp: stamp)
                    guard stamp == nil || model[name]?.stamp == stamp else { continue }
                    model[name] = nil
                    marks[name] = nil
                case 6:
                    guard model[name] != nil, !damaged.contains(name) else { continue }
                    let file = path.appending(StateFileName.stem(name) + ".scene")
                    var bytes = try TemporaryDirectory.read(file)
                    if Bool.random(using: &random) {
                        bytes.removeLast(.random(in: 1...bytes.count, using: &random))
                    } else {
                        bytes[.random(in: 0..<bytes.count, using: &random)] ^=
                            1 << UInt8.random(in: 0..<8, using: &random)
                    }
                    try TemporaryDirectory.write(bytes, to: file)
                    damaged.insert(name)
                case 7:
                    let before = try await store.beginRestoration(of: name)
                    #expect(before == marks[name, default: 0], place)
                    marks[name, default: 0] += 1
                default:
                    store = try FileStateStore(directory: path, maximumStateBytes: 64)
                    #expect(try await store.unfinishedRestorations(of: name) == marks[name, default: 0], place)
                }
            }
            let files = try TemporaryDirectory.names(path)
            #expect(files.count { $0.hasSuffix(".bad") } == aside, "seed \(seed): nothing damaged is thrown away")
            #expect(files.count { $0.hasSuffix(".scene") } == model.count, "seed \(seed)")
            #expect(!files.contains { $0.hasSuffix(".tmp") || $0.hasSuffix(".gone") }, "seed \(seed)")
        }
    }

    private func state(_ random: inout SeededGenerator) -> SceneStateData {
        let length = Int.random(in: 0...70, using: &random)
        return SceneStateData(
            version: .random(in: 0...9, using: &random),
            bytes: (0..<length).map { _ in .random(in: 0...255, using: &random) })
    }
}
