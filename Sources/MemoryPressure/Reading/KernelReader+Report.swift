internal import SystemPackage

extension KernelReader {
    /// Every source of readings: used, or why not. As of the last time that each was read.
    public var sources: [SourceStatus] {
        var result: [SourceStatus] = []
        if let own = places.first {
            result.append(status(.usage, places.flatMap { [$0.usageFile, $0.statFile] }, named: own.usageFile.path))
            result.append(status(.limits, places.map(\.limitFile), named: own.limitFile.path))
            result.append(status(.memoryEvents, [own.eventsFile], named: own.eventsFile.path))
        } else {
            let reason = map.obstacle ?? "the process is in no cgroup with a memory controller"
            for source in [MemorySignalSource.usage, .limits, .memoryEvents] {
                result.append(SourceStatus(source: source, path: nil, availability: .notAvailable(reason: reason)))
            }
        }
        result.append(status(.pressureTotals, [pressureFile], named: pressureFile.path))
        result.append(status(.memoryInfo, [machineFile], named: machineFile.path))
        result.append(status(.footprint, [pagesFile], named: pagesFile.path))
        return result
    }

    /// The reason why a limit may be set that is not known; nil where every limit that can be set is known. Headroom is then the
    /// machine's, or that to the limits that are known.
    public var unknownLimitReason: String? {
        if map.mayHideLimit { return map.obstacle }
        guard let broken = places.first(where: { $0.limitFile.failure != .none })?.limitFile else { return nil }
        return "\(broken.path): \(reason(broken.failure))"
    }

    /// The cgroups that cover the process, its own first, then the ancestors that can be seen from here. Reads the usage and
    /// `memory.stat` of each afresh. Ancestors outside the cgroup namespace are invisible.
    public var levels: [CgroupLevel] {
        places.enumerated().map { index, place in
            place.readUsage(buffer)
            place.readStat(buffer, floor: last.footprintBytes)
            let isTop = index == places.count - 1
            let component = place.directory.split(separator: "/").last.map(String.init) ?? "/"
            return CgroupLevel(
                version: place.version, name: isTop && index > 0 ? "/" : component, directory: place.directory,
                hardLimitBytes: place.isLimited ? place.limit : nil,
                highLimitBytes: place.high == .max ? nil : place.high,
                usageBytes: place.usageFile.failure == .none ? place.usage : nil,
                unreclaimableBytes: place.statFile.failure == .none ? place.unreclaimable : nil)
        }
    }

    /// The directory of a level whose usage the kernel can watch (v1 only); nil where it cannot, or there is no such level.
    /// Reads no file.
    package func thresholdDirectory(level: Int) -> String? {
        guard places.indices.contains(level), places[level].version == .v1 else { return nil }
        return places[level].directory
    }

    /// `oom_kill` of the nearest cgroup with memory accounting, as of the last full reading; nil where it cannot be read.
    package var ownOOMKills: UInt64? {
        guard let own = places.first, own.hasEvents else { return nil }
        return own.events.oomKill
    }

    /// The PSI file that stall times are read from: that of the process's own v2 cgroup, also beside a v1 memory
    /// controller, else the machine's. Nil where neither can be opened.
    public var pressurePath: String? {
        pressureFile.isOpen ? pressureFile.path : nil
    }

    private func status(_ source: MemorySignalSource, _ files: [KernelFile], named path: String) -> SourceStatus {
        guard let broken = files.first(where: { $0.failure != .none }) else {
            return SourceStatus(source: source, path: path, availability: .used)
        }
        return SourceStatus(
            source: source, path: broken.path, availability: .notAvailable(reason: reason(broken.failure)))
    }

    private func reason(_ failure: KernelFile.Failure) -> String {
        switch failure {
        case .none: ""
        case .opening(let code), .reading(let code): ErrnoText.reading(Errno(rawValue: code))
        case .empty: "the file is empty"
        case .malformed: "the file does not have the form that is expected of it"
        }
    }
}
