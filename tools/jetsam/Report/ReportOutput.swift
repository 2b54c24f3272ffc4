internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where a report goes: a file, or the standard output.
struct ReportOutput {
    let path: String

    /// Why it cannot be written there.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// - Parameter source: The file that the report is made from; it is not written over.
    func write(_ text: String, madeFrom source: String) throws(Failure) {
        do {
            if path == "-" {
                try FileDescriptor.standardOutput.writeAll(text.utf8)
                return
            }
            // Neither emptied nor waited for before it is seen to be a file.
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .closeOnExec, .nonBlocking],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            defer { try? file.close() }
            let identity = try Identity { unsafe fstat(file.rawValue, &$0) }
            guard identity.isRegular else {
                throw Failure(description: "it is no regular file, and only those are replaced")
            }
            if source != "-", try Identity({ unsafe stat(source, &$0) }) == identity {
                throw Failure(description: "it is the trace itself")
            }
            guard ftruncate(file.rawValue, 0) == 0 else { throw Errno(rawValue: errno) }
            try file.writeAll(text.utf8)
        } catch let failure as Failure {
            throw failure
        } catch Errno.noSuchAddressOrDevice, Errno.isDirectory {
            throw Failure(description: "it is no regular file, and only those are replaced")
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    private struct Identity: Equatable {
        var device: UInt64
        var node: UInt64
        var isRegular: Bool

        init(_ look: (inout stat) -> Int32) throws(Errno) {
            var information = stat()
            guard look(&information) == 0 else { throw Errno(rawValue: errno) }
            device = UInt64(truncatingIfNeeded: information.st_dev)
            node = UInt64(truncatingIfNeeded: information.st_ino)
            isRegular = information.st_mode & S_IFMT == S_IFREG
        }
    }
}
