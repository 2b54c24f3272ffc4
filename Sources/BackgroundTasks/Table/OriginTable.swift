internal import JetsamSystem

/// The name of a background task, and the place in the source where it was begun.
struct TaskOrigin: Sendable, Hashable {
    var name: String
    var file: String
    var line: UInt

    /// Such as `Server/Store.swift:88`.
    var place: String { file.isEmpty ? "" : "\(file):\(line)" }
}

/// Names and origins as numbers, so that an entry needs four bytes for both. It never shrinks, and so is bounded.
final class OriginTable: Sendable {
    static let mostOrigins = 4096
    /// The origin of everything beyond the bound.
    static let other: UInt32 = 0

    private struct State {
        var origins = [TaskOrigin(name: "other", file: "", line: 0)]
        var numbers: [TaskOrigin: UInt32] = [:]
    }

    private let state = Lock(State())

    func number(_ name: String, _ file: StaticString, _ line: UInt) -> UInt32 {
        let path = file.withUTF8Buffer { unsafe String(decoding: $0, as: UTF8.self) }
        // `#fileID` is module/file, which two files of a module never share.
        let file = String(path.unicodeScalars.suffix(BackgroundTaskName.mostScalars))
        let origin = TaskOrigin(name: BackgroundTaskName.bounded(name), file: file, line: line)
        return state.withLock { state in
            if let number = state.numbers[origin] { return number }
            guard state.origins.count <= Self.mostOrigins else { return Self.other }
            let number = UInt32(state.origins.count)
            state.origins.append(origin)
            state.numbers[origin] = number
            return number
        }
    }

    /// The numbers of every origin with that name.
    func numbers(named name: String) -> Set<UInt32> {
        let name = BackgroundTaskName.bounded(name)
        let origins = state.withLock { $0.origins }
        return Set(origins.indices.lazy.filter { origins[$0].name == name }.map { UInt32($0) })
    }

    subscript(_ number: UInt32) -> TaskOrigin {
        state.withLock { $0.origins.indices.contains(Int(number)) ? $0.origins[Int(number)] : $0.origins[0] }
    }
}

/// The numbers of the literals that were begun here last: found by their addresses, without comparing texts.
@safe struct OriginCache: ~Copyable {
    private struct Line {
        var name: UInt = 0
        var file: UInt = 0
        var line: UInt = 0
        var number: UInt32 = 0
    }

    private static let size = 64
    private let lines: UnsafeMutablePointer<Line>

    init() {
        unsafe lines = .allocate(capacity: Self.size)
        unsafe lines.initialize(repeating: Line(), count: Self.size)
    }

    deinit {
        unsafe lines.deallocate()
    }

    /// The first of the two lines that a literal may have.
    @inline(__always)
    private static func place(_ name: UInt, _ line: UInt) -> Int {
        Int(truncatingIfNeeded: ((name &+ line) &* 0x9E37_79B9_7F4A_7C15) >> 59) * 2
    }

    @inline(__always)
    func number(_ name: UInt, _ file: UInt, _ line: UInt) -> UInt32? {
        let place = Self.place(name, line)
        return number(name, file, line, at: place) ?? number(name, file, line, at: place + 1)
    }

    @inline(__always)
    private func number(_ name: UInt, _ file: UInt, _ line: UInt, at place: Int) -> UInt32? {
        let entry = unsafe lines + place
        guard unsafe entry.pointee.name == name, unsafe entry.pointee.file == file, unsafe entry.pointee.line == line
        else { return nil }
        return unsafe entry.pointee.number
    }

    /// Stores a number in the first of the two lines. The one that was there moves to the second, so that two literals that are used
    /// in turn both stay.
    func store(_ name: UInt, _ file: UInt, _ line: UInt, _ number: UInt32) {
        let place = Self.place(name, line)
        unsafe lines[place + 1] = lines[place]
        unsafe lines[place] = Line(name: name, file: file, line: line, number: number)
    }
}
