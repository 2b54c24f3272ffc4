extension BinaryInteger {
    /// The number with the word for it, such as `1 step` and `2 steps`.
    package func counted(_ one: String, _ many: String) -> String {
        "\(self) \(self == 1 ? one : many)"
    }
}
