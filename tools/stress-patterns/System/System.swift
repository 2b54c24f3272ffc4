package import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The system calls of this tool, in one place: each throws an `Errno`, and nothing else here sees a raw result.
package enum System {
    package static var lastError: Errno { Errno(rawValue: errno) }

    /// The bytes of a page.
    package static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    package static var processIdentifier: Int32 { getpid() }

    package static var parentIdentifier: Int32 { getppid() }

    package static var standardErrorIsTerminal: Bool { isatty(2) == 1 }

    /// Runs a call that answers -1 and sets `errno` when it fails.
    @discardableResult
    package static func check(_ result: Int32) throws(Errno) -> Int32 {
        guard result != -1 else { throw lastError }
        return result
    }

    /// Throws what a call of the `SystemPackage` threw as the `Errno` that it is.
    package static func typed<Result>(_ body: () throws -> Result) throws(Errno) -> Result {
        do { return try body() } catch let error as Errno { throw error } catch { throw .ioError }
    }
}
