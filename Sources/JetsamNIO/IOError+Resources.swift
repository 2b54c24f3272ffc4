#if NIO || Hummingbird
    internal import NIOCore
    internal import SystemPackage

    extension IOError {
        /// Indicates that the process or the machine has no descriptor or no memory left for a connection.
        var isForWantOfResources: Bool {
            [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .noMemory]
                .contains(Errno(rawValue: errnoCode))
        }
    }
#endif
