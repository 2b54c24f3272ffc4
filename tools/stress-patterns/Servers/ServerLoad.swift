internal import CommandOutput

/// A real server that is filled with values of 16 KiB. It runs in this process's cgroup, as every child does.
final class ServerLoad: Load {
    /// Counted for each value. Its bytes are a little fewer, so that with its key and the server's header it still is about as many.
    static let valueBytes = 16 << 10
    private static let contentBytes = valueBytes - 64

    private let kind: ServerKind
    private let server: BoundServer
    private var content: [UInt8]
    private(set) var heldBytes = 0
    private var values = 0

    init(_ kind: ServerKind, limitBytes: Int) throws {
        self.kind = kind
        server = try BoundServer(kind, limitBytes: limitBytes)
        // Nothing that a compressed swap could make small.
        var random = SplitMix(state: 1)
        content = (0..<Self.contentBytes).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
    }

    var process: Int32 { server.process }

    /// Only whole values are stored: what is left over is stored with the next one.
    func grow(bytes: Int) throws {
        heldBytes += bytes
        let target = heldBytes / Self.valueBytes
        for number in values..<max(values, target) {
            let (before, after) = kind.store(number, content.count)
            unsafe withUnsafeBytes(of: number) { unsafe content.replaceSubrange(0..<$0.count, with: $0) }
            try server.send(Array(before.utf8) + content + Array(after.utf8))
        }
        while values < target {
            try expect(kind.stored)
            values += 1
        }
    }

    /// Deletes the latest values. What the allocator of the server does then is its own affair.
    func giveBack(bytes: Int) {
        heldBytes = max(0, heldBytes - bytes)
        let target = heldBytes / Self.valueBytes
        do {
            for number in target..<max(values, target) { try server.send(Array(kind.delete(number).utf8)) }
            while values > target {
                try expect(kind.deleted)
                values -= 1
            }
        } catch {
            // A server that is gone has given everything back.
            values = target
        }
    }

    private func expect(_ wanted: String) throws {
        let line = try server.line()
        guard line == wanted else { throw StressError("\(kind.program) answers '\(line)' after \(values) values") }
    }

    func figures() -> ServerFigures {
        ServerFigures(
            program: kind.program, values: values, usedBytes: try? usedBytes(),
            residentBytes: System.residentBytes(of: server.process))
    }

    private func usedBytes() throws -> Int? {
        try server.send(Array(kind.figures.command.utf8))
        var used: Int?
        while true {
            let line = try server.line()
            if line == kind.figures.lastLine { return used }
            if line.hasPrefix(kind.figures.usedBytes) { used = Int(line.dropFirst(kind.figures.usedBytes.count)) }
        }
    }
}
