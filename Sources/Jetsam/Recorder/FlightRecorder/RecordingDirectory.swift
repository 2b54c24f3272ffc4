internal import MemoryPressure
internal import SystemPackage

/// The directory of recordings.
struct RecordingDirectory: ~Copyable {
    static let prefix = "jetsam-"
    static let suffix = ".ring"
    /// Ends the name of a file that has no header yet.
    static let unfinished = ".new"
    private static let mostAttempts = 100
    /// More are not looked at.
    private static let mostNames = 4096

    private let files: PrivateDirectory

    /// Opens the directory.
    ///
    /// - Parameter isMade: True where it is made where its parent exists, and must be safe to write to.
    init(_ path: String, isMade: Bool) throws(FileError) {
        files = try PrivateDirectory(path, isMade: isMade, safety: isMade ? .ownUserOrRoot : .anybody)
    }

    /// The recordings in it, in no order.
    func names(ending: String = RecordingDirectory.suffix) throws(FileError) -> [String] {
        try files.names(limit: Self.mostNames) { $0.hasPrefix(Self.prefix) && $0.hasSuffix(ending) }
    }

    /// Makes a file that nobody else has, locked for as long as its descriptor is open. It is no recording before it is published.
    func make(_ stem: String) throws(FileError) -> (file: CInt, name: String) {
        for attempt in 0..<Self.mostAttempts {
            let name = Self.name(stem, attempt) + Self.unfinished
            if let file = try files.make(name) { return (file, name) }
        }
        throw .system(.fileExists, doing: "making the file")
    }

    /// Gives a file whose header is whole the name of a recording.
    func publish(_ unfinished: String, _ stem: String) throws(FileError) -> String {
        for attempt in 0..<Self.mostAttempts {
            let name = Self.name(stem, attempt)
            do throws(Errno) {
                try files.link(unfinished, as: name)
                remove(unfinished)
                return name
            } catch {
                if error == .fileExists { continue }
                // Where the file system has no second names.
                try files.rename(unfinished, to: name)
                return name
            }
        }
        throw .system(.fileExists, doing: "naming the file")
    }

    // Two containers may have processes of the same number that began at the same tick, or one before and after a reboot.
    private static func name(_ stem: String, _ attempt: Int) -> String {
        prefix + stem + (attempt == 0 ? "" : "-\(attempt)") + suffix
    }

    /// Opens a recording to read it; nil where that cannot be.
    func open(_ name: String) -> CInt? { try? files.open(name) }

    func remove(_ name: String) { _ = try? files.remove(name) }
}
