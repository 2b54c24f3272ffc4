internal import SystemPackage

/// Where a command says why it cannot do what was asked.
enum StandardError {
    static func write(_ line: String) {
        _ = try? FileDescriptor.standardError.writeAll("\(line)\n".utf8)
    }
}
