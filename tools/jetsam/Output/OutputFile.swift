internal import ArgumentParser
internal import CommandOutput
internal import MemoryPressure
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where a command writes what it makes: a file, or the standard output.
///
/// The file is opened when there is something to write, so that a command that finds its input wrong leaves what was there. Only
/// regular files are replaced, and never one that is being read. Every fault is said on the standard error and thrown as
/// `ExitCode` 73.
struct OutputFile {
    private let path: String
    private let sources: [String]
    private let permissions: FilePermissions
    private var file: FileDescriptor?
    private var bytes: [UInt8] = []

    private static let fewestBytes = 1 << 18

    /// - Parameters:
    ///   - path: `-` for the standard output.
    ///   - sources: The files that it is made from.
    ///   - permissions: Of a file that was not there.
    init(
        _ path: String, madeFrom sources: [String] = [],
        permissions: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
    ) {
        self.path = path
        self.sources = sources
        self.permissions = permissions
    }

    /// Whether what is there now may be replaced, or there is a place for it: asked before work that takes long.
    func checkPlace() throws {
        guard path != "-" else { return }
        do {
            if let facts = try? FileFacts(at: path) { return try check(facts) }
            let directory = FilePath(path).removingLastComponent()
            _ = try FileFacts(at: directory.isEmpty ? "." : directory.string)
        } catch {
            throw complain("\(error)")
        }
    }

    mutating func write(_ more: [UInt8]) throws {
        bytes += more
        if bytes.count >= Self.fewestBytes { try flush() }
    }

    mutating func finish() throws {
        try flush()
        if path != "-" { try? file?.close() }
    }

    mutating func flush() throws {
        do {
            let file = try self.file ?? open()
            self.file = file
            try file.writeAll(bytes)
        } catch Errno.noSuchAddressOrDevice, Errno.isDirectory {
            throw complain(Failure.noRegularFile.description)
        } catch {
            throw complain("\(error)")
        }
        bytes.removeAll(keepingCapacity: true)
    }

    private enum Failure: Error, CustomStringConvertible {
        case noRegularFile
        case source(String)

        var description: String {
            switch self {
            case .noRegularFile: "it is no regular file, and only those are replaced"
            case .source("-"): "it is the standard input, which is read"
            case .source(let path): "it is '\(path)' itself, which is read"
            }
        }
    }

    private func open() throws -> FileDescriptor {
        guard path != "-" else {
            // Closed, it cannot be told from a file, and writing says so. A terminal may be read and written.
            if let facts = try? FileFacts(of: 1), facts.kind == .ordinary { try check(facts) }
            return .standardOutput
        }
        // Neither emptied nor waited for before it is seen to be a file.
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .closeOnExec, .nonBlocking], permissions: permissions)
        do {
            try check(FileFacts(of: file.rawValue))
            guard ftruncate(file.rawValue, 0) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            try? file.close()
            throw error
        }
        return file
    }

    private func check(_ facts: FileFacts) throws {
        guard facts.kind == .ordinary else { throw Failure.noRegularFile }
        for source in sources {
            let read = try source == "-" ? FileFacts(of: 0) : FileFacts(at: source)
            if read.identity == facts.identity { throw Failure.source(source) }
        }
    }

    private func complain(_ message: String) -> ExitCode {
        StandardError.write("\(path == "-" ? "standard output" : path): error: cannot be written: \(message)")
        return ExitCode(73)
    }
}
