import SystemPackage

/// A file of the repository.
enum Page {
    static func read(_ path: String) throws -> String {
        var root = FilePath(#filePath)
        for _ in 0..<4 { root.removeLastComponent() }
        let descriptor = try FileDescriptor.open(root.appending(path), .readOnly)
        defer { try? descriptor.close() }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = try unsafe bytes.withUnsafeMutableBytes { unsafe try descriptor.read(into: $0) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
