internal import MemoryPressure

extension Diagnosis {
    /// For programs: the keys are described in the command's help and do not change their meaning.
    var json: JSONText {
        .object([
            ("usable", .bool(isUsable)),
            ("verdict", .string(verdict)),
            (
                "process",
                .object([
                    ("pid", .integer(process.identifier.map(Int.init))), ("uid", .integer(process.user)),
                    ("capSysResource", .bool(process.hasResourceCapability)), ("allocator", .string(process.allocator)),
                    ("allocatorFile", .string(process.allocatorFile)),
                ])
            ),
            (
                "machine",
                .object([
                    ("kernel", .string(kernel)), ("pageSizeBytes", .integer(Syscalls.pageSize)),
                    ("totalBytes", .integer(totalBytes)), ("availableBytes", .integer(availableBytes)),
                    ("swapBytes", .integer(swapBytes)),
                ])
            ),
            (
                "cgroup",
                .object([
                    ("layout", .string(cgroup.layout.rawValue)), ("namespaced", .bool(cgroup.isNamespaced)),
                    ("ancestorsHidden", .bool(cgroup.hidesAncestors)), ("readOnly", .bool(cgroup.isReadOnly)),
                ])
            ),
            ("levels", .array(levels.indices.map(level))),
            ("headroom", headroom),
            ("sources", .array(sources.map(Self.source))),
            ("notes", .array(notes.map { .string($0) })),
        ])
    }

    private func level(_ index: Int) -> JSONText {
        let level = levels[index]
        return .object([
            ("name", .string(level.name)), ("directory", .string(level.directory)),
            ("version", .string("\(level.version)")), ("hardLimitBytes", .integer(level.hardLimitBytes)),
            ("highLimitBytes", .integer(level.highLimitBytes)), ("usageBytes", .integer(level.usageBytes)),
            ("unreclaimableBytes", .integer(level.unreclaimableBytes)),
            ("headroomBytes", .integer(level.headroomBytes)), ("isTightest", .bool(reading?.tightestLevel == index)),
        ])
    }

    private var headroom: JSONText {
        guard isUsable, let reading else { return .null }
        return .object([
            ("bytes", .integer(reading.headroomBytes)), ("limitBytes", .integer(reading.limitBytes)),
            ("isLimited", .bool(reading.isLimited)), ("level", .integer(reading.tightestLevel)),
        ])
    }

    private static func source(_ source: SourceFinding) -> JSONText {
        .object([
            ("source", .string(source.status.source.description)), ("kind", .string(source.kind.rawValue)),
            ("used", .bool(source.status.isUsed)), ("path", .string(source.status.path)),
            ("reason", .string(source.reason)), ("meaning", .string(source.meaning)),
        ])
    }
}
