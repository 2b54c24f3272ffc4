internal import JetsamSystem
internal import SystemPackage

/// A file's bytes, but never many more than a configuration may have.
///
/// At most one byte more than is allowed, which is what tells that it is too large.
enum BoundedFile {
    /// The reason why a file cannot be read.
    enum Failure: Error, Equatable, CustomStringConvertible {
        case system(Errno)
        /// Its writer may never come, and what was read is gone from it.
        case fifo

        var description: String {
            switch self {
            case .system(let error): "\(error)"
            case .fifo: "it is a FIFO, which can be read once only; a file is needed"
            }
        }
    }

    /// Reads a file. A FIFO is read until its writers have closed it.
    static func read(_ path: FilePath) throws(Errno) -> [UInt8] {
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            return try file.closeAfter { try read(file) }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Reads a file that will be read again. Waits for nobody: a FIFO is a failure.
    static func readAtOnce(_ path: FilePath) throws(Failure) -> [UInt8] {
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            return try file.closeAfter {
                guard try FileFacts(of: file.rawValue).kind != .fifo else { throw Failure.fifo }
                return try read(file)
            }
        } catch {
            throw error as? Failure ?? .system(error as? Errno ?? .ioError)
        }
    }

    static func read(_ file: FileDescriptor) throws(Errno) -> [UInt8] {
        let most = CheckReport.maximumBytes + 1
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        do {
            while bytes.count < most {
                let room = min(chunk.count, most - bytes.count)
                let count = try unsafe chunk.withUnsafeMutableBytes { buffer in
                    try unsafe file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
                }
                guard count > 0 else { break }
                bytes += chunk[..<count]
            }
            return bytes
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}
