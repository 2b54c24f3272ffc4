internal import CommandOutput
internal import SystemPackage

/// Page cache: a nameless file that is written as a log is, and read through a mapping where that is asked for.
@safe final class FileLoad: Load {
    private static let pieceBytes = 65536

    private let file: FileDescriptor
    private let piece: [UInt8]
    private var mapping: UnsafeMutableRawBufferPointer?
    private var position = 0
    private var checksum: UInt64 = 0
    private(set) var heldBytes = 0
    /// Pages read by walking.
    private(set) var pagesRead = 0

    init(directory: String) throws {
        do {
            file = try System.makeNamelessFile(in: directory)
        } catch {
            throw StressError("no file can be made in --directory \(directory): \(error)")
        }
        var random = SplitMix(state: 1)
        piece = (0..<Self.pieceBytes).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
    }

    deinit {
        if let mapping = unsafe mapping { unsafe System.unmap(mapping) }
        try? file.close()
    }

    func grow(bytes: Int) throws {
        var left = bytes
        while left > 0 {
            let count = min(left, piece.count)
            do {
                _ = try file.writeAll(piece[..<count])
            } catch {
                throw StressError("after \(heldBytes) bytes the file in --directory cannot be written on: \(error)")
            }
            left -= count
            heldBytes += count
        }
    }

    /// What is written stays written.
    func giveBack(bytes: Int) {}

    func walk(bytes: Int) throws {
        guard heldBytes > 0 else { return }
        let mapping = try unsafe mapped()
        for _ in 0..<max(1, bytes / System.pageSize) {
            checksum &+= UInt64(unsafe mapping[position])
            position += System.pageSize
            if position >= heldBytes { position = 0 }
            pagesRead += 1
        }
    }

    private func mapped() throws -> UnsafeMutableRawBufferPointer {
        if let mapping = unsafe mapping { return unsafe mapping }
        do {
            let fresh = try unsafe System.map(file, bytes: heldBytes)
            unsafe mapping = fresh
            return unsafe fresh
        } catch {
            throw StressError("the file of \(heldBytes) bytes cannot be mapped: \(error)")
        }
    }
}
