import CachePolicies
import ComparisonSupport
import Glibc

/// Traces in files.
enum TraceFile {
    /// Reads oracleGeneral where the name ends in `.oracleGeneral` or `.oracleGeneral.bin`, and one key a line otherwise; ends the
    /// process where there is nothing to be had.
    static func read(_ path: String) -> Trace {
        let bytes = contents(path)
        let isBinary = path.hasSuffix(".oracleGeneral") || path.hasSuffix(".oracleGeneral.bin")
        guard let trace = isBinary ? Trace(oracleGeneral: bytes) : Trace(lines: bytes) else {
            stop("\(path) is not made of records of 24 bytes")
        }
        guard !trace.accesses.isEmpty else { stop("\(path) holds no keys") }
        return trace
    }

    private static func contents(_ path: String) -> [UInt8] {
        guard let file = unsafe fopen(path, "r") else { stop("\(path) cannot be read") }
        defer { unsafe _ = fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe fread(&part, 1, part.count, file)
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        guard unsafe ferror(file) == 0 else { stop("\(path) cannot be read to its end") }
        return bytes
    }
}
