import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

func makeDirectory(_ path: FilePath, mode: mode_t) throws {
    guard unsafe mkdir(path.string, mode) == 0, unsafe chmod(path.string, mode) == 0 else {
        throw Errno(rawValue: errno)
    }
}

func makeLink(_ path: FilePath, to target: FilePath) throws {
    guard unsafe symlink(target.string, path.string) == 0 else { throw Errno(rawValue: errno) }
}
