import MemoryPressure
import SystemPackage
import Testing

@testable import Jetsam

struct ThresholdsPageTests {
    @Test("The documented defaults are those of the code, each of them and no others")
    func defaults() throws {
        #expect(try documented() == actual())
    }

    /// `headroom.warningPercent` → `20`, from the page's table.
    private func documented() throws -> [String: String] {
        let root = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
            .removingLastComponent()
        let page = root.appending("Sources/Jetsam/Documentation.docc/Thresholds.md")
        let descriptor = try FileDescriptor.open(page, .readOnly)
        defer { try? descriptor.close() }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = try unsafe bytes.withUnsafeMutableBytes { unsafe try descriptor.read(into: $0) }
        var result: [String: String] = [:]
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") where line.hasPrefix("| `")
        {
            let cells = line.split(separator: "|").map { String($0).trimmed }
            result[cells[0].filter { $0 != "`" }] = cells[1]
        }
        return result
    }

    private func actual() -> [String: String] {
        var result: [String: String] = [:]
        for group in Mirror(reflecting: ResourceManager.Configuration()).children {
            for setting in Mirror(reflecting: group.value).children {
                guard let label = setting.label, group.label != "footprint" else { continue }
                result["\(group.label ?? "?").\(label)"] = text(label, setting.value)
            }
        }
        return result
    }

    private func text(_ label: String, _ value: Any) -> String {
        if let duration = value as? Duration {
            let milliseconds = duration.milliseconds
            if milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000) min" }
            return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
        }
        let isBytes = label.hasSuffix("Bytes") || label.hasSuffix("Rate")
        return isBytes ? (value as? Int).map { ByteCount($0).description } ?? "?" : "\(value)"
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
