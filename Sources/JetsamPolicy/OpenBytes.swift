/// The bytes that a reading shows a step under way at critical to need beyond what caches were asked for and have not answered.
package struct OpenBytes: Equatable {
    /// Bytes that are missing; 0 where none are, or the reading does not tell.
    package var missing = 0
    /// It needs no more than so many bytes. Less than 0 where more was asked for than is missing; nil where the reading does not tell.
    package var most: Int?

    package init(missing: Int = 0, most: Int? = nil) {
        self.missing = missing
        self.most = most
    }
}
