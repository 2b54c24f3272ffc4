/// What a step under way at critical needs by a reading, beyond what caches were asked for and have not answered.
package struct OpenBytes: Equatable {
    /// Bytes that are missing; 0 where none are, or the reading does not tell.
    package var missing = 0
    /// No more than so many bytes are missing. Less than 0 where more was asked for than is missing; nil where the reading does not tell.
    package var most: Int?

    package init(missing: Int = 0, most: Int? = nil) {
        self.missing = missing
        self.most = most
    }
}
