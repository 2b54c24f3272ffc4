internal import CommandOutput
internal import SystemPackage

/// Page cache: a nameless file that is written as a log is, and read through a mapping where that is asked for.
@safe final class FileLoad: Load {
    private static let pieceBytes = 65536

    private let file: FileDescriptor
    private let piece: [UInt8]
    private var buffer = [UInt8](repeating: 0, count: System.pageSize)
    private var mapping: UnsafeMutableRawBufferPointer?
    private let readsInRandomOrder: Bool
    private var random = SplitMix(state: 1)
    private var position = 0
    private var checksum: UInt64 = 0
    private(set) var heldBytes = 0
    /// Pages read by walking.
    private(set) var pagesRead = 0

    /// - Parameter readsInRandomOrder: Walks from page to page in random order, not from end to end.
    init(directory: String, readsInRandomOrder: Bool = false) throws {
        self.readsInRandomOrder = readsInRandomOrder
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
        let pages = max(1, bytes / System.pageSize)
        if readsInRandomOrder { try readPages(pages) } else { try walkMapping(pages: pages) }
        pagesRead += pages
    }

    /// Reads from end to end.
    private func walkMapping(pages: Int) throws {
        let mapping = try unsafe mapped()
        for _ in 0..<pages {
            checksum &+= UInt64(unsafe mapping[position])
            position += System.pageSize
            if position >= heldBytes { position = 0 }
        }
    }

    /// Reads pages at random places: a quarter of the file gets seven in ten. To the kernel pages that all are read alike are no
    /// working set, and neither are those of a mapping for which random order was announced.
    private func readPages(_ pages: Int) throws {
        for _ in 0..<pages {
            let place = Double.random(in: 0..<1, using: &random)
            let page = Int(place * place * place * place * Double(heldBytes)) / System.pageSize
            do {
                _ = try unsafe buffer.withUnsafeMutableBytes {
                    try unsafe file.read(fromAbsoluteOffset: Int64(page * System.pageSize), into: $0)
                }
            } catch {
                throw StressError("the file of \(heldBytes) bytes in --directory cannot be read: \(error)")
            }
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
