/// Why the tool could not do what was asked: one sentence that names what stood in the way.
package struct StressError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
