internal import ArgumentParser
internal import MemoryPressure
internal import SystemPackage

/// Why a process could not be asked, with the command's exit status for it (sysexits.h).
struct ControlFailure: Error, Equatable, CustomStringConvertible {
    /// Nobody answers: EX_UNAVAILABLE.
    static let unavailable: Int32 = 69
    /// This user may not: EX_NOPERM.
    static let noPermission: Int32 = 77

    var status: Int32
    var description: String

    static func unavailable(_ description: String) -> ControlFailure {
        .init(status: unavailable, description: description)
    }
    static func noPermission(_ description: String) -> ControlFailure {
        .init(status: noPermission, description: description)
    }

    /// Of a system call on `what`.
    static func system(_ error: Errno, _ what: String) -> ControlFailure {
        switch error {
        case .permissionDenied, .notPermitted:
            .noPermission(
                "\(what): this user may not (\(ErrnoText.name(error))); run it as the process's user or as root")
        default: .unavailable("\(what): \(ErrnoText.name(error))")
        }
    }

    /// Writes the reason to standard error and gives the status to end with.
    func report() -> ExitCode {
        _ = try? FileDescriptor.standardError.writeAll("Error: \(description)\n".utf8)
        return ExitCode(status)
    }
}
