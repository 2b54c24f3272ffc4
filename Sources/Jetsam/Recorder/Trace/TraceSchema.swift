/// The form of a trace.
package enum TraceSchema {
    /// The longest line, in bytes.
    package static let longestLine = 64 << 10
    /// The schema that is written.
    package static let version = 8
    /// Those that are read: an earlier one lacks fields, which have their defaults then.
    package static let versions = 1...version
}
