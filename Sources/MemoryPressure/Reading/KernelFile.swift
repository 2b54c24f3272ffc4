internal import SystemPackage

/// The one buffer that a reader reads every file into.
@safe final class ReadBuffer {
    // memory.stat, the longest file read here, has about 2.5 KiB.
    private let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 16384, alignment: 64)

    deinit { unsafe storage.deallocate() }

    /// Reads `file` from its start and hands over its bytes; nil, and nothing is called, where that fails.
    @inline(__always)
    func read<Result>(_ file: KernelFile, _ body: (borrowing Span<UInt8>) -> Result?) -> Result? {
        guard file.isOpen else { return nil }
        let count =
            if let source = file.source {
                unsafe source.write(into: storage)
            } else {
                unsafe Syscalls.pread(file.descriptor, into: storage)
            }
        guard count > 0 else {
            file.failure = count == 0 ? .empty : .reading(CInt(-count))
            return nil
        }
        let bytes = unsafe UnsafeBufferPointer(
            start: storage.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count)
        guard let result = body(unsafe bytes.span) else {
            file.failure = .malformed
            return nil
        }
        file.failure = .none
        return result
    }
}

/// A kernel file that is kept open: opening allocates kernel memory, which is what is short when it matters.
final class KernelFile {
    /// The reason why a file cannot be used. Plain numbers, so that noting it allocates nothing.
    enum Failure: Equatable {
        case none
        case opening(CInt)
        case reading(CInt)
        case empty
        case malformed
    }

    /// Its path inside the root.
    let path: String
    let descriptor: CInt
    /// The source that makes up the contents; nil for a real file.
    let source: (any MadeUpFiles.Source)?
    var failure: Failure

    init(_ path: String, in root: KernelRoot) {
        self.path = path
        source = root.madeUpFiles?.sources[path]
        guard source == nil else {
            descriptor = -1
            failure = .none
            return
        }
        do throws(Errno) {
            if let fault = root.readingFault(path) { throw fault }
            descriptor = try Syscalls.open(root.outer(path))
            failure = .none
        } catch {
            descriptor = -1
            failure = .opening(error.rawValue)
        }
    }

    deinit { if descriptor >= 0 { Syscalls.close(descriptor) } }

    var isOpen: Bool { descriptor >= 0 || source != nil }

    /// Indicates whether it could not be opened for want of descriptors or memory, which may pass.
    var isStarved: Bool {
        guard case .opening(let code) = failure else { return false }
        return [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory].contains(Errno(rawValue: code))
    }

    /// Indicates whether its cgroup was removed while it was open.
    var isGone: Bool { failure == .reading(Errno.operationNotSupportedByDevice.rawValue) }
}
