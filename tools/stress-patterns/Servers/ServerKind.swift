internal import MemoryPressure

/// A server that is filled over a socket, and what is spoken with it.
struct ServerKind: Sendable {
    /// What is looked for on the PATH.
    var program: String
    /// The Debian package that has it.
    var package: String
    /// Its arguments, for a socket at a path and so many bytes of values.
    var arguments: @Sendable (_ socket: String, _ limitBytes: Int) -> [String]
    /// What comes before and after a value of so many bytes in the command that stores it.
    var store: @Sendable (_ key: Int, _ bytes: Int) -> (before: String, after: String)
    var stored: String
    var delete: @Sendable (_ key: Int) -> String
    var deleted: String
    /// What asks for its figures, what ends the answer, and what stands before the number of bytes that it uses.
    var figures: (command: String, lastLine: String, usedBytes: String)

    static let redis = ServerKind(
        program: "redis-server", package: "redis-server",
        arguments: { socket, _ in
            ["--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--loglevel", "warning"]
        },
        store: { key, bytes in
            let name = "stress:\(key)"
            return ("*3\r\n$3\r\nSET\r\n$\(name.utf8.count)\r\n\(name)\r\n$\(bytes)\r\n", "\r\n")
        },
        stored: "+OK", delete: { "DEL stress:\($0)\r\n" }, deleted: ":1",
        // ECHO: the last line of INFO is not known.
        figures: ("INFO memory\r\nECHO END\r\n", "END", "used_memory:"))

    static let memcached = ServerKind(
        program: "memcached", package: "memcached",
        arguments: { socket, limitBytes in
            // -M: an error where it is full, not the loss of an earlier value.
            let mebibytes = limitBytes / (1 << 20) * 3 / 2 + 64
            return ["-s", socket, "-m", "\(mebibytes)", "-M", "-t", "1"] + (System.isSuperuser ? ["-u", "root"] : [])
        },
        store: { key, bytes in ("set stress:\(key) 0 0 \(bytes)\r\n", "\r\n") },
        stored: "STORED", delete: { "delete stress:\($0)\r\n" }, deleted: "DELETED",
        figures: ("stats\r\n", "END", "STAT bytes "))
}
