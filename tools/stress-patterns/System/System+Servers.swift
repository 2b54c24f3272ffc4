internal import CStressProcesses
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension System {
    static var isSuperuser: Bool { geteuid() == 0 }

    /// Starts a program that ends with the calling thread.
    static func startBound(_ path: String, _ arguments: [String]) throws(Errno) -> Int32 {
        let strings: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe strings.forEach { unsafe free($0) } }
        let result = unsafe stress_start_bound(path, strings)
        guard result > 0 else { throw Errno(rawValue: -result) }
        return result
    }

    /// Sends everything; a closed connection is an error and no signal.
    static func send(_ bytes: [UInt8], over connection: FileDescriptor) throws(Errno) {
        var sent = 0
        while sent < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { bytes in
                unsafe stress_send(connection.rawValue, bytes.baseAddress! + sent, bytes.count - sent)
            }
            guard result >= 0 else { throw Errno(rawValue: Int32(-result)) }
            sent += result
        }
    }

    /// A new directory that only this user can enter.
    static func makeTemporaryDirectory() throws(Errno) -> String {
        let path = "/tmp/jetsam-stress-\(processIdentifier)-\(UInt32.random(in: 0 ... .max))"
        try check(unsafe mkdir(path, 0o700))
        return path
    }

    static func removeFile(_ path: String) {
        _ = unsafe remove(path)
    }
}
