extension KernelReader {
    /// Every source of readings: used, or why not. As of the last time that each was read.
    public var sources: [SourceStatus] { findings.statuses }

    /// The reason why a limit may be set that is not known; nil where every limit that can be set is known. Headroom is then the
    /// machine's, or that to the limits that are known.
    public var unknownLimitReason: String? { findings.unknownLimitReason }

    /// The facts that `sources` and `unknownLimitReason` put into words. Allocates nothing.
    package var findings: SourceFindings {
        var findings = SourceFindings(
            obstacle: map.obstacle, mayHideLimit: map.mayHideLimit, pressure: .init(pressureFile),
            machine: .init(machineFile), footprint: .init(pagesFile))
        guard let own = places.first else { return findings }
        findings.usage = .init(own.usageFile)
        findings.limits = .init(own.limitFile)
        findings.events = .init(own.eventsFile)
        for place in places {
            findings.usage?.add(place.usageFile)
            findings.usage?.add(place.statFile)
            findings.limits?.add(place.limitFile)
        }
        return findings
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
}
