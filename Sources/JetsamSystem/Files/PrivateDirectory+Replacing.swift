internal import CLinuxShims
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension PrivateDirectory {
    /// A file to be written in place of another.
    package struct Replacement: Sendable {
        package var name: String
        package var bytes: [UInt8]

        package init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// Ends the name of a file that is being written. A file with such a name and no lock was left by a crash.
    package static let unfinished = ".tmp"

    /// From so many on the file system is flushed.
    private static let manyFiles = 8

    private struct Written {
        var descriptor: CInt
        var name: String
    }

    /// Writes files in place of others and gives what became of each: one that succeeded outlives a power failure from here on, and
    /// where one failed the other is still there.
    ///
    /// All are written before anything is flushed. Many are flushed with their whole file system (syncfs(2)), a few one by one; the
    /// directory is flushed once.
    package func replace(_ files: [Replacement]) -> [Result<Void, FileError>] {
        var results: [Result<Void, FileError>] = []
        var written: [Written?] = []
        // Locked until they have their names, so that nobody takes them for what a crash has left.
        defer { for file in written { if let file { Syscalls.close(file.descriptor) } } }
        for file in files {
            let result = Result { () throws(FileError) in try write(file) }
            written.append(try? result.get())
            results.append(result.map { _ in })
        }
        // One flush of the disk for all: on a busy disk a fifth of what a flush for each costs. A few do not make others wait for it.
        let isFlushed = files.count >= Self.manyFiles && jetsam_sync_file_system(descriptor)
        var isRenamed = false
        for (index, file) in written.enumerated() {
            guard let file else { continue }
            do throws(FileError) {
                // A file that was not written, or of which that is not known, says so itself.
                guard isFlushed && jetsam_is_written(file.descriptor) || fsync(file.descriptor) == 0 else {
                    throw .system(Errno(rawValue: errno), doing: "flushing the file")
                }
                try rename(file.name, to: files[index].name)
                isRenamed = true
            } catch {
                _ = try? remove(file.name)
                results[index] = .failure(error)
            }
        }
        guard isRenamed else { return results }
        do throws(FileError) { try flush() } catch {
            for (index, result) in results.enumerated() {
                if case .success = result { results[index] = .failure(error) }
            }
        }
        return results
    }

    /// Tells whether there may be a descriptor for it once the others of its group are closed.
    package static func isForWantOfDescriptors(_ result: Result<Void, FileError>) -> Bool {
        guard case .failure(let error) = result else { return false }
        return [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains {
            error == .system($0, doing: making)
        }
    }

    /// A new file with its bytes, which are on their way to the disk.
    private func write(_ file: Replacement) throws(FileError) -> Written {
        var made: Written?
        while made == nil {
            let number = UInt64.random(in: .min ... .max).hexadecimal
            let temporary = "\(file.name).\(number)\(Self.unfinished)"
            made = try make(temporary).map { Written(descriptor: $0, name: temporary) }
        }
        let written = made!
        do throws(FileError) {
            try writeAll(written.descriptor, file.bytes)
        } catch {
            _ = try? remove(written.name)
            Syscalls.close(written.descriptor)
            throw error
        }
        // Flushing waits for one after another; the disk need not.
        jetsam_start_writeback(written.descriptor)
        return written
    }

    private func writeAll(_ file: CInt, _ bytes: [UInt8]) throws(FileError) {
        var offset = 0
        while offset < bytes.count {
            do throws(Errno) {
                let count = try Syscalls.pwrite(file, bytes[offset...], at: offset)
                guard count > 0 else { throw .noSpace }
                offset += count
            } catch { throw .system(error, doing: "writing the file") }
        }
    }
}

extension UInt64 {
    /// Its sixteen hexadecimal digits.
    package var hexadecimal: String { padded(to: 16, radix: 16) }
}
