/// What the server says of itself.
package struct ServerFigures: Equatable, Sendable {
    package var program: String
    package var values: Int
    /// By its own count; nil where it answers no more, as the following.
    package var usedBytes: Int?
    package var residentBytes: Int?
}
