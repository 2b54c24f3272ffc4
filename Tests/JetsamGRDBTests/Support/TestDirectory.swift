#if GRDB
    import Foundation

    /// A directory for the files of one test.
    struct TestDirectory: Sendable {
        let path: String

        init() throws {
            path = NSTemporaryDirectory() + "jetsam-grdb-test-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }

        /// The names of the files in it.
        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

        func remove() { try? FileManager.default.removeItem(atPath: path) }
    }
#endif
