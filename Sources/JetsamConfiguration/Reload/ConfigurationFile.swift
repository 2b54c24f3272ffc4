public import Configuration
internal import Jetsam
internal import MemoryPressure
public import SystemPackage

/// A configuration file, YAML or JSON, that was checked as `jetsam check` does.
///
/// Unlike a reader it sees keys that are no setting, and says in which line a fault is. ``ConfigurationReload`` reads it again
/// when it changes.
public final class ConfigurationFile: Sendable {
    /// The result of a look at the file.
    public enum Look: Sendable {
        /// It is as it was, or is being written.
        case unchanged
        /// It says something else, which ``ConfigurationFile/settings`` are now.
        case changed(JetsamSettings)
        /// It cannot be used; ``ConfigurationFile/settings`` stay what they were.
        case refused(ConfigurationFileError)
    }

    private struct State {
        var settings: JetsamSettings
        var warnings: [CheckReport.Problem]
        var watch: FileWatch
        /// The number of times that something was taken. A later read goes before one that was begun earlier and took longer.
        var takes = 0
    }

    /// The path that it was made with.
    public let path: FilePath
    private let overrides: ConfigReader?
    private let state: Lock<State>

    /// Reads and checks a file.
    ///
    /// - Parameters:
    ///   - path: Of a file of at most ``CheckReport/maximumBytes``. Not of a FIFO, which can be read once only.
    ///   - overrides: The settings that go before the file, typically environment variables, scoped to `jetsam`; nil for
    ///     nothing. The file must be valid without the overrides.
    /// - Throws: ``ConfigurationFileError`` with everything that is wrong.
    public init(_ path: FilePath, overrides: ConfigReader? = nil) throws(ConfigurationFileError) {
        self.path = path
        self.overrides = overrides
        let bytes: [UInt8]
        do {
            bytes = try BoundedFile.readAtOnce(path)
        } catch {
            throw Self.unreadable(path, error)
        }
        let (settings, warnings) = try Self.settings(bytes, path, overrides)
        state = Lock(State(settings: settings, warnings: warnings, watch: FileWatch(taken: bytes)))
    }

    /// The settings of the file when it was last good, under what overrides them.
    public var settings: JetsamSettings { state.withLock { $0.settings } }

    /// The parts of the file that are ignored, such as settings that no longer exist. ``ConfigurationReload`` logs them.
    public var warnings: [CheckReport.Problem] { state.withLock { $0.warnings } }

    /// Looks whether the file says something else now. Reads it; never called by itself: ``ConfigurationReload`` does.
    ///
    /// - Parameter isReady: True if the file is known to be complete: it is taken at once. Otherwise a change is taken when the
    ///   next look finds the same.
    public func look(isReady: Bool = false) -> Look {
        let found: Result<[UInt8], BoundedFile.Failure>
        do {
            found = .success(try BoundedFile.readAtOnce(path))
        } catch {
            found = .failure(error)
        }
        let (action, take) = state.withLock { state in
            let action = state.watch.look(found, isAsked: isReady)
            if case .take = action { state.takes += 1 }
            return (action, state.takes)
        }
        switch action {
        case .nothing: return .unchanged
        case .cannotRead(let error): return .refused(Self.unreadable(path, error))
        case .take(let bytes):
            do throws(ConfigurationFileError) {
                let (settings, warnings) = try Self.settings(bytes, path, overrides)
                return state.withLock { state in
                    guard state.takes == take else { return .unchanged }
                    state.warnings = warnings
                    guard state.settings != settings else { return .unchanged }
                    state.settings = settings
                    return .changed(settings)
                }
            } catch {
                return .refused(error)
            }
        }
    }

    private static func settings(
        _ bytes: [UInt8], _ path: FilePath, _ overrides: ConfigReader?
    ) throws(ConfigurationFileError) -> (JetsamSettings, warnings: [CheckReport.Problem]) {
        let report = CheckReport(checking: bytes)
        guard var settings = report.settings else {
            throw ConfigurationFileError(path: path.string, problems: report.problems)
        }
        guard let overrides else { return (settings, report.warnings) }
        do throws(ConfigurationError) {
            try settings.apply(overrides.snapshot())
            try settings.validate()
        } catch {
            let problem = CheckReport.Problem(
                line: 0, column: 0, key: error.setting, value: error.value,
                message: "a setting that overrides the file: \(error)")
            throw ConfigurationFileError(path: path.string, problems: [problem])
        }
        return (settings, report.warnings)
    }

    private static func unreadable(_ path: FilePath, _ error: BoundedFile.Failure) -> ConfigurationFileError {
        ConfigurationFileError(
            path: path.string, problems: [.init(line: 0, column: 0, message: "the file cannot be read: \(error)")])
    }
}

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
