internal import MemoryPressure

/// The process that is looked at: its rights and its allocator.
struct ProcessFindings {
    var identifier: Int32?
    var user: Int?
    /// Whether it may ask for windows that only the privileged may have; nil where that is not known.
    var hasResourceCapability: Bool?
    /// `glibc`, `jemalloc`…; nil where that cannot be seen.
    var allocator: String?
    var allocatorFile: String?

    init(_ files: KernelText) {
        identifier = files.root.processIdentifier
        let status = files.root.process("status")
        // Real, effective, saved, file system.
        user = files.field("Uid:", of: status)?.dropFirst().first.flatMap { Int($0) }
        hasResourceCapability = files.field("CapEff:", of: status)?.first.flatMap { UInt64($0, radix: 16) }.map {
            // CAP_SYS_RESOURCE (linux/capability.h)
            $0 & 1 << 24 != 0
        }
        guard let maps = try? files.contents(files.root.process("maps")) else { return }
        // An allocator of its own takes the place of the C library's, so it is sought first.
        let known = [
            ("libjemalloc", "jemalloc"), ("libtcmalloc", "tcmalloc"), ("libmimalloc", "mimalloc"), ("ld-musl", "musl"),
            ("libc.so", "glibc"), ("libc-2", "glibc"),
        ]
        let mapped = Set(maps.split(separator: "\n").compactMap { $0.firstIndex(of: "/").map($0.suffix(from:)) })
        for (prefix, name) in known {
            let file = mapped.first { ($0.split(separator: "/").last ?? "").hasPrefix(prefix) }
            guard let file else { continue }
            (allocator, allocatorFile) = (name, String(file))
            return
        }
        if !maps.isEmpty { allocator = "linked statically" }
    }

    var rights: String {
        let who = user.map { $0 == 0 ? "root" : "user \($0)" } ?? "user not known"
        return switch hasResourceCapability {
        case true: "\(who), with CAP_SYS_RESOURCE: PSI windows from 500 ms"
        case false: "\(who), without CAP_SYS_RESOURCE: PSI windows of 2 s and its multiples only"
        case nil: "\(who), capabilities not known"
        }
    }

    var allocatorText: String {
        let file = allocatorFile.map { " (\($0))" } ?? ""
        return switch allocator {
        case "glibc": "glibc\(file): gives memory back when it is trimmed"
        case "jemalloc": "jemalloc\(file): gives memory back when it is purged"
        case "mimalloc": "mimalloc\(file): gives a part of its memory back when it is asked"
        case "linked statically": "linked statically: which one cannot be seen"
        case let name?: "\(name)\(file): Jetsam cannot make it give memory back"
        case nil: "cannot be seen"
        }
    }
}
