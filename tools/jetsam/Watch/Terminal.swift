internal import CommandOutput
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Standard output, where that is a terminal.
enum Terminal {
    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Columns and rows; 80 × 24 where they cannot be told.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes all of it, however slow the terminal is. The command ends where it has gone, or takes no more.
    static func write(_ text: String) {
        do {
            try FileDescriptor.standardOutput.writeAll(text.utf8)
        } catch {
            StandardStreams.fail(error as? Errno ?? .ioError)
        }
    }
}
