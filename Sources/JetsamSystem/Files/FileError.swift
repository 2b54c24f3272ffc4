package import SystemPackage

/// The reason why something could not be done with a file or a directory: one sentence for the log.
package enum FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system refused something; `doing` says what, in a few words.
    case system(Errno, doing: String)
    /// Others may change the file, or it belongs to another user.
    case insecure(String)
    /// It is none that can be read.
    case damaged(String)

    package var description: String {
        switch self {
        case .system(let error, let doing): "\(doing): \(Self.reason(error))"
        case .insecure(let reason): reason
        case .damaged(let reason): "damaged: \(reason)"
        }
    }

    /// The name of an error, and what it means for a file.
    package static func reason(_ error: Errno) -> String {
        let meaning: String? =
            switch error {
            case .noSpace: "the file system has no room for it"
            case .readOnlyFileSystem: "the file system is read-only"
            case .permissionDenied: "this user may not"
            case .tooManySymbolicLinkLevels: "its last part is a symbolic link, which is not followed"
            case .notDirectory: "it is no directory"
            case .noSuchFileOrDirectory: "the file or its directory does not exist"
            case .noFunction: "this is not Linux"
            default: nil
            }
        let name = error == .tooManySymbolicLinkLevels ? "ELOOP" : ErrnoText.name(error)
        return meaning.map { "\(name): \($0)" } ?? name
    }
}
