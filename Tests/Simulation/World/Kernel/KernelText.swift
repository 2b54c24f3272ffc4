import MemoryPressure

/// Text that grows in one place, and is copied to whoever reads.
struct KernelText {
    private var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(512)
    }

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func add(_ text: StaticString) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Adds a number that is not negative.
    mutating func add(_ number: Int) {
        var rest = max(0, number)
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    mutating func addLine(_ key: StaticString, _ number: Int) {
        add(key)
        add(number)
        add("\n")
    }

    func copy(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe buffer.copyBytes(from: bytes.prefix(buffer.count))
        return min(bytes.count, buffer.count)
    }
}

/// A file whose text is written anew at each reading.
final class TextSource: MadeUpFiles.Source, @unchecked Sendable {
    private var text = KernelText()
    private let write: (inout KernelText) -> Void

    init(_ write: @escaping (inout KernelText) -> Void) {
        self.write = write
    }

    func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        text.clear()
        write(&text)
        return unsafe text.copy(to: buffer)
    }
}
