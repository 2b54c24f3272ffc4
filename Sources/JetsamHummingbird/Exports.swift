#if Hummingbird
    // Everything that a server needs, with one import beside Hummingbird's.
    @_exported public import Jetsam
#endif
