/// The reason why a configuration file cannot be used.
public struct ConfigurationFileError: Error, Sendable, CustomStringConvertible {
    /// The file's path, as it was given.
    public var path: String
    /// The faults in it; one problem without line and column where it cannot be read at all.
    public var problems: [CheckReport.Problem]

    /// One line for each problem: `FILE:LINE:COLUMN: error: …`.
    public var description: String {
        problems.map { $0.line > 0 ? "\(path):\($0)" : "\(path): \($0)" }.joined(separator: "\n")
    }
}
