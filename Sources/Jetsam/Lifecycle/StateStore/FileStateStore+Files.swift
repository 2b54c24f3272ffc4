internal import MemoryPressure
internal import SystemPackage

extension FileStateStore {
    /// Finishes what a crash has left undone. What a process still works on, it holds locked.
    func tidy() throws(FileError) {
        for name in try files.names() {
            if name.hasSuffix(StateFileName.removed) {
                // Whether it was to go is not known any more; a scene that comes back is better than one that is lost.
                let end = name.utf8.count - StateFileName.removed.utf8.count - 17
                guard end > 0 else { continue }
                let stored = String(decoding: Array(name.utf8)[..<end], as: UTF8.self)
                try files.ifAbandoned(name) { () throws(FileError) in
                    try restore(name, as: stored)
                    try files.remove(name)
                }
            } else if name.hasSuffix(PrivateDirectory.unfinished) {
                try files.ifAbandoned(name) { () throws(FileError) in _ = try files.remove(name) }
            }
        }
    }

    func replace(_ stem: String, _ ending: String, _ bytes: [UInt8]) throws(SceneStateStoreError) {
        let result = files.replace([PrivateDirectory.Replacement(name: stem + ending, bytes: bytes)])[0]
        try result.mapError { SceneStateStoreError($0) }.get()
    }

    /// Gives a file its name back, unless there is one of that name, or the file is gone.
    private func restore(_ name: String, as other: String) throws(FileError) {
        do throws(Errno) { try files.link(name, as: other) } catch {
            guard error == .fileExists || error == .noSuchFileOrDirectory else {
                throw .system(error, doing: "giving the file its name back")
            }
        }
    }

    /// Does something in the directory, and throws as the store does.
    @discardableResult
    func inFiles<Result>(_ body: () throws(FileError) -> Result) throws(SceneStateStoreError) -> Result {
        do throws(FileError) { return try body() } catch { throw SceneStateStoreError(error) }
    }

    private func readFile(_ name: String, limit: Int) throws(SceneStateStoreError) -> (bytes: [UInt8], size: Int)? {
        try inFiles { () throws(FileError) in try files.read(name, limit: limit) }
    }

    func read(
        _ stem: String, _ ending: String, _ kind: StateFormat.Kind, _ scene: SceneIdentifier
    ) throws(SceneStateStoreError) -> (StoredScene, SceneStateData)? {
        let limit = StateFormat.maximumOverhead + maximumStateBytes
        guard let (bytes, size) = try readFile(stem + ending, limit: limit) else { return nil }
        guard size <= limit else { throw .damaged("the file has \(size) bytes, but at most \(limit) are read") }
        let (stored, state) = try StateFormat.decode(bytes, kind: kind, maximumStateBytes: maximumStateBytes)
        guard stored.identifier == scene else { throw .damaged("it belongs to scene '\(stored.identifier)'") }
        return (stored, state)
    }

    func header(_ stem: String, _ name: String) throws(SceneStateStoreError) -> StateFormat.Header? {
        guard let (bytes, _) = try readFile(name, limit: StateFormat.maximumHeaderLength) else { return nil }
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
            let number = UInt64.random(in: .min ... .max).hexadecimal
            // Where even that fails the error is the disk's, and nothing may be stored here at all.
            try inFiles { () throws(FileError) in
                try files.rename(stem + ending, to: "\(stem)\(ending).\(number)\(StateFileName.damaged)")
            }
            throw error
        }
    }

    /// Takes the file out of the way before it is looked at: another process may store a newer one at any moment. Whether it
    /// is gone.
    func remove(_ stem: String, ifStampIs stamp: UInt64) throws(SceneStateStoreError) -> Bool {
        let name = stem + StateFileName.state
        guard let header = try header(stem, name), header.scene.stamp == stamp else { return false }
        let number = UInt64.random(in: .min ... .max).hexadecimal
        let away = "\(name).\(number)\(StateFileName.removed)"
        guard let found = try inFiles({ () throws(FileError) in try files.lock(name) }) else { return false }
        defer { Syscalls.close(found) }
        try inFiles { () throws(FileError) in try files.rename(name, to: away) }
        let isOurs = try self.header(stem, away)?.scene.stamp == stamp
        try inFiles { () throws(FileError) in
            if !isOurs { try restore(away, as: name) }
            try files.remove(away)
        }
        return isOurs
    }

    /// Returns the number of restorations that have begun and not ended. A mark that cannot be read shows that one was cut off.
    func marks(of scene: SceneIdentifier) throws(SceneStateStoreError) -> Int {
        do throws(SceneStateStoreError) {
            let stem = StateFileName.stem(scene)
            return try read(stem, StateFileName.mark, .restorationMark, scene)?.0.expectedBytes ?? 0
        } catch  where error.isDamage {
            return 1
        }
    }
}
