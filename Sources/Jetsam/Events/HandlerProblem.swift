/// What went wrong with a handler.
struct HandlerProblem: Sendable {
    var cache: String
    /// What it threw, or nil where it missed its deadline.
    var error: String?
    var duration: Duration
}
