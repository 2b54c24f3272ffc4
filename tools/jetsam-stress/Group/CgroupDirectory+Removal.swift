internal import MemoryPressure
internal import SystemPackage
internal import _StressPatterns

extension CgroupDirectory {
    /// Ends every process in a cgroup and in those below it.
    static func kill(_ path: String) {
        for name in System.directories(in: path) { kill(path + "/" + name) }
        let own = System.processIdentifier
        for line in ((try? System.text(of: path + "/cgroup.procs")) ?? "").split(separator: "\n") {
            if let process = Int32(line), process != own { System.send(System.killSignal, to: process) }
        }
    }

    /// Ends what is in a cgroup and removes it with those below it. The kernel refuses while a process is still on its way
    /// out, so it is tried for five seconds; true once it is gone.
    @discardableResult
    static func remove(_ path: String) -> Bool {
        let clock = SystemMonotonicClock()
        let end = clock.now.advanced(by: .seconds(5))
        while Syscalls.exists(path) {
            kill(path)
            removeOnce(path)
            guard Syscalls.exists(path) else { return true }
            guard clock.now < end else { return false }
            System.sleep(until: clock.now.advanced(by: .milliseconds(5)))
        }
        return true
    }

    private static func removeOnce(_ path: String) {
        for name in System.directories(in: path) { removeOnce(path + "/" + name) }
        try? Syscalls.removeDirectory(path)
    }

    /// Removes what earlier runs left that were ended without a chance to clean up, and gives their paths. A group is
    /// theirs when the process in its name is gone and nobody holds its lock: a process in another PID namespace looks
    /// gone, but its lock is seen.
    static func removeStale(in places: CgroupPlaces) -> [String] {
        var removed: [String] = []
        for parent in places.memory + places.unified {
            for name in System.directories(in: parent) where name.hasPrefix(LimitedGroup.namePrefix) {
                guard let process = Int32(name.dropFirst(LimitedGroup.namePrefix.count)), !System.isAlive(process),
                    let lock = try? System.lockDirectory(parent + "/" + name)
                else { continue }
                if remove(parent + "/" + name) { removed.append(parent + "/" + name) }
                try? lock.close()
            }
        }
        return removed
    }
}
