internal import MemoryPressure
internal import SystemPackage

/// A recording as it is found in the file system.
package struct RecordingFile: Sendable {
    /// Its path.
    package var path: String
    /// The contents of the file.
    package var recording: RecordingContents
    /// Indicates whether its process is still alive and writes to it.
    package var isLive: Bool

    /// The reason why there is nothing to show.
    package enum Failure: Error, CustomStringConvertible {
        /// It cannot be read.
        case unreadable(String)
        /// It is no recording.
        case damaged(RecordingFormatError)

        package var description: String {
            switch self {
            case .unreadable(let reason): reason
            case .damaged(let error): "\(error)"
            }
        }
    }

    /// Reads a recording.
    ///
    /// - Parameter path: A recording, or a directory of recordings: the one that began last.
    package init(_ path: String) throws(Failure) {
        let isDirectory: Bool
        do throws(Errno) {
            isDirectory = try FileFacts(at: path).kind == .directory
        } catch { throw Self.system(error) }
        let chosen = isDirectory ? try Self.newest(in: path) : path
        let file: CInt
        let bytes: [UInt8]
        do throws(Errno) {
            file = try Syscalls.open(chosen)
        } catch { throw Self.system(error) }
        defer { Syscalls.close(file) }
        do throws(Errno) {
            bytes = try Syscalls.start(of: file, limit: RingFormat.mostBytes)
        } catch { throw Self.system(error) }
        do throws(RecordingFormatError) {
            recording = try RecordingContents(bytes)
        } catch { throw .damaged(error) }
        self.path = chosen
        isLive = FileLock.isFree(file) == false
    }

    private static func system(_ error: Errno) -> Failure {
        .unreadable(error == .noSuchFileOrDirectory ? "ENOENT: there is no such file" : ErrnoText.reading(error))
    }

    private static func newest(in directory: String) throws(Failure) -> String {
        let newest: RecordingDirectory.Found?
        do throws(FileError) {
            let files = try RecordingDirectory(directory, isMade: false)
            newest = try files.recordings().max { ($0.wallClock, $0.name) < ($1.wallClock, $1.name) }
        } catch { throw .unreadable("\(error)") }
        guard let newest else { throw .unreadable("there is no recording in this directory") }
        return directory.hasSuffix("/") ? directory + newest.name : "\(directory)/\(newest.name)"
    }
}
