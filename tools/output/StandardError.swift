internal import SystemPackage

/// Where a command says what is no result: why it cannot do what was asked, and how far it has come.
package enum StandardError {
    package static func write(_ line: String) {
        _ = try? FileDescriptor.standardError.writeAll("\(line)\n".utf8)
    }
}
