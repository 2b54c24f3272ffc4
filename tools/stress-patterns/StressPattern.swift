internal import ArgumentParser

/// A pattern of `jetsam-stress` that takes memory inside the calling process.
public struct StressPattern: Sendable, CustomStringConvertible {
    /// The words that it was made of.
    public let description: String

    /// Reads the words that `jetsam-stress` takes for a pattern, with blanks between them:
    /// `--pattern ramp --rate 50MB/s --limit 200MiB --delay 4s --hold 5s`.
    ///
    /// Throws an error whose text is the command's where the words are wrong.
    public init(_ commandLine: String) throws {
        description = commandLine
        _ = try Self.options(commandLine)
    }

    /// Takes memory, and blocks the calling thread until the pattern's end. Then everything is given back.
    public func run() throws {
        let options = try Self.options(description)
        let beside = try options.makeBeside()
        let run = try PatternRun(options)
        try withExtendedLifetime(beside) { _ = try run.run(progress: false) }
    }

    private static func options(_ commandLine: String) throws -> PatternOptions {
        do {
            let options = try PatternOptions.parse(commandLine.split { $0.isWhitespace }.map(String.init))
            guard options.pattern != nil else { throw StressError("--pattern is needed.") }
            return options
        } catch let error as StressError {
            throw error
        } catch {
            throw StressError(PatternOptions.fullMessage(for: error))
        }
    }
}
