/// The format of a scene's state: as a file, and as the value that is handed to a successor. Pure.
///
/// | at | bytes | |
/// |---|---|---|
/// | 0 | 8 | magic |
/// | 8 | 4 | version of this format |
/// | 12 | 4 | the application's version |
/// | 16 | 8 | stamp |
/// | 24 | 8 | expected bytes |
/// | 32 | 8 | length of the state |
/// | 40 | 4 | length of the identifier |
/// | 44 | 1 | priority |
/// | 45 | 1 | kind |
/// | 46 | 2 | zero |
/// | 48 | … | the identifier, in UTF-8 |
/// | … | 4 | CRC-32C of all before it |
/// | … | … | the state |
/// | … | 4 | CRC-32C of the state |
///
/// All numbers are little-endian. The header has a checksum of its own, so that it can be judged without the state.
enum StateFormat {
    enum Kind: UInt8 {
        case stored = 0
        case handOver = 1
        case restorationMark = 2
        /// A scene that has no state.
        case handOverWithoutState = 3
    }

    /// The letters, and the ends of lines in both manners, which a transfer as text would change.
    static let magic: [UInt8] = [0x4A, 0x54, 0x53, 0x43, 0x0D, 0x0A, 0x1A, 0x0A]
    static let version: UInt32 = 1
    static let kindIndex = 45
    private static let fixedLength = 48
    /// The most bytes that are not the state's.
    static let maximumOverhead = fixedLength + SceneIdentifier.maximumBytes + 8
    static let maximumHeaderLength = maximumOverhead - 4

    static func encode(_ scene: StoredScene, _ state: SceneStateData, kind: Kind = .stored) -> [UInt8] {
        let identifier = Array(scene.identifier.text.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(maximumOverhead + state.bytes.count)
        bytes += magic
        bytes.append(littleEndian: version)
        bytes.append(littleEndian: state.version)
        bytes.append(littleEndian: scene.stamp)
        bytes.append(littleEndian: UInt64(max(0, scene.expectedBytes)))
        bytes.append(littleEndian: UInt64(state.bytes.count))
        bytes.append(littleEndian: UInt32(identifier.count))
        bytes += [scene.priority.rawValue, kind.rawValue, 0, 0]
        bytes += identifier
        bytes.append(littleEndian: Checksum.crc32c(bytes[...]))
        bytes += state.bytes
        bytes.append(littleEndian: Checksum.crc32c(state.bytes[...]))
        return bytes
    }

    struct Header {
        var scene: StoredScene
        var stateVersion: UInt32
        var stateLength: Int
        /// The place where the state begins.
        var length: Int
    }

    /// Reads the header from the first bytes; there may be more behind it.
    static func header(_ bytes: [UInt8], kind: Kind, maximumStateBytes: Int) throws(SceneStateStoreError) -> Header {
        guard bytes.count >= fixedLength + 4 else { throw .damaged("it ends inside its header") }
        guard Array(bytes[..<8]) == magic else { throw .damaged("it does not begin as a scene's state does") }
        let found = bytes.number(at: 8, as: UInt32.self)
        guard found == version else { throw .unsupported("format \(found), but only \(version) is known here") }
        let identifierLength = Int(bytes.number(at: 40, as: UInt32.self))
        guard (1...SceneIdentifier.maximumBytes).contains(identifierLength) else {
            throw .damaged("its identifier cannot have \(identifierLength) bytes")
        }
        let end = fixedLength + identifierLength
        guard bytes.count >= end + 4 else { throw .damaged("it ends inside its header") }
        guard Checksum.crc32c(bytes[..<end]) == bytes.number(at: end, as: UInt32.self) else {
            throw .damaged("its header's checksum is wrong")
        }
        // From here on the header is as it was written; what follows is about who wrote it.
        let stateLength = bytes.number(at: 32, as: UInt64.self)
        guard stateLength <= UInt64(maximumStateBytes) else {
            throw .damaged("its state is said to have \(stateLength) bytes, but at most \(maximumStateBytes) are read")
        }
        guard bytes[kindIndex] == kind.rawValue else { throw .damaged("it is of another kind (\(bytes[kindIndex]))") }
        guard let identifier = SceneIdentifier(String(decoding: bytes[fixedLength..<end], as: UTF8.self)) else {
            throw .damaged("its identifier is not text")
        }
        let scene = StoredScene(
            identifier: identifier, priority: ResourcePriority(rawValue: bytes[44]),
            expectedBytes: Int(clamping: bytes.number(at: 24, as: UInt64.self)),
            stamp: bytes.number(at: 16, as: UInt64.self))
        return Header(
            scene: scene, stateVersion: bytes.number(at: 12, as: UInt32.self), stateLength: Int(stateLength),
            length: end + 4)
    }

    static func decode(
        _ bytes: [UInt8], kind: Kind = .stored, maximumStateBytes: Int
    ) throws(SceneStateStoreError) -> (StoredScene, SceneStateData) {
        let header = try header(bytes, kind: kind, maximumStateBytes: maximumStateBytes)
        let end = header.length + header.stateLength
        guard bytes.count == end + 4 else {
            throw .damaged("it has \(bytes.count) bytes, but its header says \(end + 4)")
        }
        let state = bytes[header.length..<end]
        guard Checksum.crc32c(state) == bytes.number(at: end, as: UInt32.self) else {
            throw .damaged("its state's checksum is wrong")
        }
        return (header.scene, SceneStateData(version: header.stateVersion, bytes: Array(state)))
    }
}

extension [UInt8] {
    fileprivate mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    fileprivate func number<Number: FixedWidthInteger>(at index: Int, as type: Number.Type) -> Number {
        self[index..<index + Number.bitWidth / 8].reversed().reduce(0) { $0 << 8 | Number($1) }
    }
}
