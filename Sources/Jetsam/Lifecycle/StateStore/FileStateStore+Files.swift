internal import MemoryPressure

extension FileStateStore {
    /// Finishes what a crash has left undone. What a process still works on, it holds locked.
    func tidy() throws(SceneStateStoreError) {
        for name in try files.names() {
            if name.hasSuffix(StateFileName.removed) {
                // Whether it was to go is not known any more; a scene that comes back is better than one that is lost.
                let end = name.utf8.count - StateFileName.removed.utf8.count - 17
                guard end > 0 else { continue }
                let stored = String(decoding: Array(name.utf8)[..<end], as: UTF8.self)
                try files.ifAbandoned(name) { () throws(SceneStateStoreError) in
                    try files.restore(name, as: stored)
                    try files.remove(name)
                }
            } else if name.hasSuffix(StateFileName.temporary) {
                try files.ifAbandoned(name) { () throws(SceneStateStoreError) in _ = try files.remove(name) }
            }
        }
    }

    func replace(_ stem: String, _ ending: String, _ bytes: [UInt8]) throws(SceneStateStoreError) {
        try files.replace(stem + ending, with: bytes)
    }

    func read(
        _ stem: String, _ ending: String, _ kind: StateFormat.Kind, _ scene: SceneIdentifier
    ) throws(SceneStateStoreError) -> (StoredScene, SceneStateData)? {
        let limit = StateFormat.maximumOverhead + maximumStateBytes
        guard let (bytes, size) = try files.read(stem + ending, limit: limit) else { return nil }
        guard size <= limit else { throw .damaged("the file has \(size) bytes, but at most \(limit) are read") }
        let (stored, state) = try StateFormat.decode(bytes, kind: kind, maximumStateBytes: maximumStateBytes)
        guard stored.identifier == scene else { throw .damaged("it belongs to scene '\(stored.identifier)'") }
        return (stored, state)
    }

    func header(_ stem: String, _ name: String) throws(SceneStateStoreError) -> StateFormat.Header? {
        guard let (bytes, _) = try files.read(name, limit: StateFormat.maximumHeaderLength) else { return nil }
        let header = try StateFormat.header(bytes, kind: .stored, maximumStateBytes: maximumStateBytes)
        guard StateFileName.stem(header.scene.identifier) == stem else {
            throw .damaged("it belongs to scene '\(header.scene.identifier)'")
        }
        return header
    }

    /// Renames what turns out to be damaged, so that nothing is stored over it.
    func keepingAside<Result>(
        _ stem: String, _ ending: String, _ body: () throws(SceneStateStoreError) -> Result
    ) throws(SceneStateStoreError) -> Result {
        do throws(SceneStateStoreError) {
            return try body()
        } catch  where error.isDamage {
            let number = StateFileName.hexadecimal(.random(in: .min ... .max))
            // Where even that fails the error is the disk's, and nothing may be stored here at all.
            try files.rename(stem + ending, to: "\(stem)\(ending).\(number)\(StateFileName.damaged)")
            throw error
        }
    }

    /// Takes the file out of the way before it is looked at: another process may store a newer one at any moment. Whether it
    /// is gone.
    func remove(_ stem: String, ifStampIs stamp: UInt64) throws(SceneStateStoreError) -> Bool {
        let name = stem + StateFileName.state
        guard let header = try header(stem, name), header.scene.stamp == stamp else { return false }
        let number = StateFileName.hexadecimal(.random(in: .min ... .max))
        let away = "\(name).\(number)\(StateFileName.removed)"
        guard let found = try files.lock(name) else { return false }
        defer { Syscalls.close(found) }
        try files.rename(name, to: away)
        let isOurs = try self.header(stem, away)?.scene.stamp == stamp
        if !isOurs { try files.restore(away, as: name) }
        try files.remove(away)
        return isOurs
    }

    /// How many restorations have begun and not ended. A mark that cannot be read says that one was cut off.
    func marks(of scene: SceneIdentifier) throws(SceneStateStoreError) -> Int {
        do throws(SceneStateStoreError) {
            let stem = StateFileName.stem(scene)
            return try read(stem, StateFileName.mark, .restorationMark, scene)?.0.expectedBytes ?? 0
        } catch  where error.isDamage {
            return 1
        }
    }
}
