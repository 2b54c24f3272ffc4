internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

/// A cgroup of the tool's own with a memory limit, and on a hybrid host a second one beside it on version 2, which gives
/// its processes a `memory.pressure` of their own.
final class LimitedGroup {
    enum Version: String {
        case v1, v2
    }

    struct Limits: Hashable {
        var hardBytes: Int
        /// `memory.high`, which only version 2 has.
        var highBytes: Int?
        var swapBytes = 0
    }

    static let namePrefix = "jetsam-stress-"

    let version: Version
    /// The directory that carries the limit.
    let path: String
    /// Where `memory.pressure` is; on version 2 the same as `path`.
    let pressureDirectory: String?
    private var directories: [CgroupDirectory]

    /// Makes the group where it may, version 2 first. Throws a `StressError` that says for each place why not.
    init(_ limits: Limits, places: CgroupPlaces = .current()) throws {
        var reasons: [String] = []
        for parent in places.unified {
            do throws(StressError) {
                let directory = try CgroupDirectory.makeLimitedV2(in: parent, limits)
                version = .v2
                path = directory.path
                pressureDirectory = directory.path
                directories = [directory]
                return
            } catch {
                reasons.append(error.description)
            }
        }
        guard limits.highBytes == nil else {
            throw StressError(
                "--high needs a cgroup v2 with the memory controller, and none can be made here: "
                    + Self.list(reasons)
            )
        }
        for parent in places.memory {
            do throws(StressError) {
                let directory = try CgroupDirectory.makeLimitedV1(in: parent, limits)
                let beside = places.unified.lazy.compactMap { try? CgroupDirectory(makingIn: $0) }.first
                version = .v1
                path = directory.path
                pressureDirectory = beside?.path
                directories = [directory] + (beside.map { [$0] } ?? [])
                return
            } catch {
                reasons.append(error.description)
            }
        }
        throw StressError("no cgroup can be limited here: " + Self.list(reasons))
    }

    deinit {
        remove()
    }

    /// The files that take a process into the group.
    var processFiles: [String] { directories.map { $0.path + "/cgroup.procs" } }

    /// Ends every process that is still in the group.
    func kill() {
        for directory in directories { directory.kill() }
    }

    /// Ends what is left in the group and removes it, with every cgroup that was made in it.
    func remove() {
        for directory in directories { directory.remove() }
        directories = []
    }

    private static func list(_ reasons: [String]) -> String {
        reasons.isEmpty ? "no cgroup hierarchy is mounted" : reasons.joined(separator: "; ")
    }
}
