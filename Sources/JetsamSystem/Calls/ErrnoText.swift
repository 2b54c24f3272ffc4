package import SystemPackage

/// Error numbers as an operator reads them: the name, and what it means for this file.
package enum ErrnoText {
    /// `EACCES` and the like; `errno 123` for one that is not known here.
    package static func name(_ error: Errno) -> String {
        names[error] ?? "errno \(error.rawValue)"
    }

    /// Returns the reason why a kernel file cannot be read.
    package static func reading(_ error: Errno) -> String {
        let meaning: String? =
            switch error {
            case .noSuchFileOrDirectory: "there is no such file on this kernel or in this container"
            case .permissionDenied, .notPermitted: "this user may not read it"
            case .notSupported: "the kernel has it switched off"
            case .operationNotSupportedByDevice: "its cgroup was removed"
            case .noSuchProcess: "the process is gone"
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "file descriptors are exhausted"
            case .isDirectory: "it is a directory"
            case .tooManySymbolicLinkLevels: "its links lead in a circle, or are too many"
            default: nil
            }
        return join(error, meaning)
    }

    /// Returns the reason why a wake-up cannot be asked for.
    package static func arming(_ error: Errno) -> String {
        let meaning: String? =
            switch error {
            case .permissionDenied: "this user may not write to it, as in an ordinary container"
            case .readOnlyFileSystem: "the cgroup file system is mounted read-only, as in an ordinary container"
            case .notPermitted: "it cannot be waited on, or this user may not arm it"
            case .noSuchFileOrDirectory: "there is no such file; of PSI: the kernel has none, or it is switched off"
            case .notSupported: "PSI is switched off (psi=0)"
            case .invalidArgument: "the kernel does not take this window or threshold"
            case .resourceBusy: "this descriptor has a trigger already"
            case .operationNotSupportedByDevice: "its cgroup was removed"
            case .noMemory: "the kernel has no memory for it"
            case .brokenPipe: "the other side has closed it"
            case .noFunction: "this is not Linux"
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "file descriptors are exhausted"
            default: nil
            }
        return join(error, meaning)
    }

    private static func join(_ error: Errno, _ meaning: String?) -> String {
        meaning.map { "\(name(error)): \($0)" } ?? name(error)
    }

    private static let names: [Errno: String] = [
        .notPermitted: "EPERM", .noSuchFileOrDirectory: "ENOENT", .noSuchProcess: "ESRCH", .interrupted: "EINTR",
        .ioError: "EIO", .badFileDescriptor: "EBADF", .resourceTemporarilyUnavailable: "EAGAIN", .noMemory: "ENOMEM",
        .permissionDenied: "EACCES", .resourceBusy: "EBUSY", .fileExists: "EEXIST",
        .operationNotSupportedByDevice: "ENODEV", .notDirectory: "ENOTDIR", .isDirectory: "EISDIR",
        .invalidArgument: "EINVAL", .tooManyOpenFilesInSystem: "ENFILE", .tooManyOpenFiles: "EMFILE",
        .noSpace: "ENOSPC", .readOnlyFileSystem: "EROFS", .brokenPipe: "EPIPE", .notSupported: "EOPNOTSUPP",
        .connectionRefused: "ECONNREFUSED", .noSuchAddressOrDevice: "ENXIO", .outOfRange: "ERANGE",
        .noFunction: "ENOSYS", .tooManySymbolicLinkLevels: "ELOOP", .fileNameTooLong: "ENAMETOOLONG",
        .fileTooLarge: "EFBIG", .diskQuotaExceeded: "EDQUOT", .staleNFSFileHandle: "ESTALE",
        .messageTooLong: "EMSGSIZE", .connectionReset: "ECONNRESET", .timedOut: "ETIMEDOUT",
        .addressInUse: "EADDRINUSE",
    ]
}
