internal import ArgumentParser
internal import SystemPackage

/// Where a command writes a trace: a file, or the standard output.
struct TraceOutput {
    private let path: String
    private let file: FileDescriptor
    private var bytes: [UInt8] = []

    init(_ path: String) throws {
        self.path = path
        do {
            file =
                try path == "-"
                ? .standardOutput
                : FileDescriptor.open(
                    FilePath(path), .writeOnly, options: [.create, .truncate, .closeOnExec],
                    permissions: .ownerReadWrite)
        } catch {
            StandardError.write("\(path): error: cannot be written: \(error)")
            throw ExitCode(73)
        }
    }

    mutating func write(_ more: [UInt8]) throws {
        bytes += more
        if bytes.count >= 1 << 18 { try flush() }
    }

    mutating func finish() throws {
        try flush()
        if path != "-" { try? file.close() }
    }

    mutating func flush() throws {
        do {
            try file.writeAll(bytes)
        } catch {
            StandardError.write("\(path): error: cannot be written: \(error)")
            throw ExitCode(73)
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
