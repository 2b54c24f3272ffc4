import MemoryPressure

/// Text that grows in one place, and is copied to whoever reads.
struct KernelText {
    private var bytes = [UInt8](repeating: 0, count: 1024)
    private var count = 0

    mutating func clear() {
        count = 0
    }

    mutating func add(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        for index in 0..<length { unsafe bytes[count + index] = text.utf8Start[index] }
        count += length
    }

    /// Adds a number that is not negative.
    mutating func add(_ number: Int) {
        var rest = UInt64(max(0, number))
        var length = 1
        var power: UInt64 = 10
        while power <= rest, length < 19 {
            length += 1
            power *= 10
        }
        var place = count + length
        count = place
        repeat {
            place -= 1
            bytes[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
    }

    mutating func addLine(_ key: StaticString, _ number: Int) {
        add(key)
        add(number)
        add("\n")
    }

    func copy(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = min(count, buffer.count)
        unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<length])) }
        return length
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
