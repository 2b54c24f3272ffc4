/// Something that takes memory and gives it back; not safe to use from two threads.
protocol Load: AnyObject {
    /// Bytes held now.
    var heldBytes: Int { get }

    /// Allocates and writes so many bytes more.
    func grow(bytes: Int) throws

    /// Gives so many bytes back, as far as it can.
    func giveBack(bytes: Int)

    /// Reads on through what is held, so many bytes further, and from its start again at its end.
    func walk(bytes: Int) throws
}

extension Load {
    func walk(bytes: Int) {}
}
