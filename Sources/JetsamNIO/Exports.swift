#if NIO || Hummingbird
    // What a server needs with one import beside NIO's.
    @_exported public import Jetsam
#endif
