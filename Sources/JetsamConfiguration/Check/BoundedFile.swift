internal import SystemPackage

/// A file's bytes, but never many more than a configuration may have.
enum BoundedFile {
    /// At most one byte more than is allowed, which is what tells that it is too large. An error where it cannot be read.
    static func read(_ path: FilePath) throws(Errno) -> [UInt8] {
        do {
            // Whoever names a FIFO is not waited for.
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            return try file.closeAfter { try read(file) }
        } catch {
            throw error as? Errno ?? .ioError
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
