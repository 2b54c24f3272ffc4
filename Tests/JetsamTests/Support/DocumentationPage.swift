import JetsamSystem
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A page of the documentation. With JETSAM_WRITE_MANUAL set (`tools/manual`) its tables are written anew first.
enum DocumentationPage {
    static let root = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
        .removingLastComponent()

    /// Returns the text of that page of Jetsam's catalogue.
    ///
    /// - Parameter rewritten: Gives the page with the tables that the code has.
    static func read(_ name: String, rewritten: (String) throws -> String = { $0 }) throws -> String {
        let path = root.appending("Sources/Jetsam/Documentation.docc/\(name).md")
        let kept = String(decoding: try Syscalls.contents(of: path.string), as: UTF8.self)
        guard unsafe getenv("JETSAM_WRITE_MANUAL") != nil else { return kept }
        let written = try rewritten(kept)
        guard written != kept else { return kept }
        let file = try FileDescriptor.open(path, .writeOnly, options: .truncate)
        try file.closeAfter { _ = try file.writeAll(written.utf8) }
        return written
    }

    /// Returns the cells of a table's row; code marks are kept.
    static func cells(_ row: some StringProtocol) -> [String] {
        row.dropFirst().dropLast().split(separator: " | ").map { $0.trimmed }
    }
}

extension StringProtocol {
    /// The same without spaces at both ends.
    var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
