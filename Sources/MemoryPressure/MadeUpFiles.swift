/// Kernel files whose contents are made up at each reading: they take the place of those on disk.
///
/// A simulated hour takes a hundred thousand readings, for which files that are written and read are too slow.
package final class MadeUpFiles: Sendable, Hashable {
    /// The writer of one file's contents.
    package protocol Source: Sendable {
        /// Writes the contents from the start of `buffer`.
        ///
        /// - Returns: The number of bytes that there are; a negative errno where reading fails.
        func write(into buffer: UnsafeMutableRawBufferPointer) -> Int
    }

    /// The sources by their paths inside the root.
    let sources: [String: any Source]

    package init(_ sources: [String: any Source]) {
        self.sources = sources
    }

    package static func == (first: MadeUpFiles, second: MadeUpFiles) -> Bool { first === second }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
