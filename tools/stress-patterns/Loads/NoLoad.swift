/// No memory at all: for a run that does something else.
final class NoLoad: Load {
    var heldBytes: Int { 0 }

    func grow(bytes: Int) {}
    func giveBack(bytes: Int) {}
}
