internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

/// Throws where a file could not be made because its directory is missing: said before work that takes long.
func checkDirectory(of file: String, for option: String) throws {
    let directory = FilePath(file).removingLastComponent()
    let path = directory.isEmpty ? "." : directory.string
    guard Syscalls.exists(path) else { throw StressError("\(option) \(file): there is no directory '\(path)'") }
}
