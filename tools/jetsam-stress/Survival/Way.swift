internal import ArgumentParser

/// What a server does about its memory: the ways that are compared.
enum Way: String, CaseIterable, ExpressibleByArgument {
    case nothing, fixed, nscache, cleared, jetsam

    /// What the demo server calls it.
    var mode: String { self == .nothing ? "unbounded" : rawValue }

    static let discussion = """
        WAYS. What the server does about its memory:
          nothing  keeps every value.
          fixed    an LRU cache with the largest budget that survives the disturbance. It is searched in steps of 32 MiB, and nobody \
        knows it beforehand.
          nscache  Foundation's NSCache as most people use it, without a limit.
          cleared  an LRU cache that is emptied at each memory warning of the kernel's: what the handler of a memory warning does on \
        a phone.
          jetsam   Jetsam's byte cache and its manager.
        """
}
