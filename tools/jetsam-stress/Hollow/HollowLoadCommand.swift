internal import ArgumentParser
internal import CommandOutput
internal import MemoryPressure
internal import _StressPatterns

/// Fills a heap cache whose values lie among blocks that stay, and grows until the last resort is called. Not for people:
/// `tools/prove hollow` starts it.
struct HollowLoadCommand: ParsableCommand {
    static let name = "hollow-load"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    /// How many bytes of values the cache gets.
    @Option var cache: Size
    /// How long nothing happens once the cache is full.
    @Option var quiet: Span
    /// How much is taken at most after that; it is more than the limit leaves.
    @Option var growth: Size
    /// How fast, in bytes a second.
    @Option var rate: Size
    /// Nobody watches: the control.
    @Flag var unmanaged = false
    /// Everything is decided and nothing done.
    @Flag var dryRun = false

    func validate() throws {
        guard rate.bytes >= 1 << 20 else { throw ValidationError("--rate takes a number of bytes, 1MiB at least.") }
    }

    func run() throws {
        do {
            let load = HollowLoad(cacheBytes: cache.bytes)
            let watch = unmanaged ? nil : try HollowWatch(isDryRun: dryRun)
            let result = try load.run(
                quiet: quiet.duration, growthBytes: growth.bytes, bytesPerSecond: rate.bytes, watch)
            print(result.description)
        } catch let error as StressError {
            StandardError.write("jetsam-stress: \(error)")
            throw ExitCode(2)
        }
    }
}
