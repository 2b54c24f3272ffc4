/// The failure of a handler.
struct HandlerProblem: Sendable {
    var cache: String
    /// The error that it threw, or nil where it missed its deadline.
    var error: String?
    var duration: Duration
}
