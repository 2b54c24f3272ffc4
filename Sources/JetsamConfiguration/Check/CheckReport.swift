public import SystemPackage

/// The result of checking a configuration file, complete.
///
/// Made by a pure function of the file's bytes: any bytes give a report, in bounded time and memory.
public struct CheckReport: Sendable {
    /// One fault, and where it is.
    public struct Problem: Sendable, Equatable {
        /// The line, from 1; 0 for the file as a whole.
        public var line: Int
        /// The column, from 1, in Unicode scalars; 0 for the file as a whole.
        public var column: Int
        /// The key's path, such as `headroom.warningPercent`; nil where the fault is none of a key's.
        public var key: String?
        /// The value as it is written, at most 64 characters of it; nil where there is none to name.
        public var value: String?
        /// The fault, and what is allowed instead.
        public var message: String
        /// The known key that is nearest to an unknown one; nil where none is near.
        public var suggestion: String?
        /// Indicates whether the file can be used all the same.
        public var isWarning = false
    }

    /// The largest file that is looked at, in bytes.
    public static let maximumBytes = 1 << 20
    /// The most problems that are kept; ``omittedProblems`` counts what came after.
    public static let maximumProblems = 100

    /// The faults, in the order of the file.
    public internal(set) var problems: [Problem] = []
    /// The parts of the file that are ignored: settings that no longer exist. In the order of the file, at most
    /// ``maximumProblems``.
    public internal(set) var warnings: [Problem] = []
    /// The number of problems that were found beyond those in ``problems``.
    public internal(set) var omittedProblems = 0
    /// The settings of the file, over the defaults; nil where anything is wrong.
    public internal(set) var settings: JetsamSettings?

    /// Indicates whether the file can be used.
    public var isGood: Bool { problems.isEmpty }

    /// Reads a file, never much more than ``maximumBytes`` of it, and checks it.
    ///
    /// - Parameter path: `-` for standard input. A FIFO is read until its writers have closed it.
    /// - Throws: `Errno` where it cannot be read.
    public init(checking path: FilePath) throws(Errno) {
        self.init(checking: try path == "-" ? BoundedFile.read(.standardInput) : BoundedFile.read(path))
    }

    /// Checks the contents of a file, YAML or JSON.
    public init(checking bytes: [UInt8]) {
        var checker = Checker()
        checker.check(bytes)
        let found = checker.problems.sorted { ($0.line, $0.column, $0.message) < ($1.line, $1.column, $1.message) }
        warnings = Array(found.filter(\.isWarning).prefix(Self.maximumProblems))
        let sorted = found.filter { !$0.isWarning }
        problems = Array(sorted.prefix(Self.maximumProblems))
        omittedProblems = sorted.count - problems.count
        settings = problems.isEmpty ? checker.settings : nil
    }
}

extension CheckReport.Problem: CustomStringConvertible {
    /// `LINE:COLUMN: error: …`, or `warning`; without line and column where it is the file's.
    public var description: String {
        (line > 0 ? "\(line):\(column): " : "") + (isWarning ? "warning: " : "error: ") + message
    }
}
