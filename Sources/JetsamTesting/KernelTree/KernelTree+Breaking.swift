internal import MemoryPressure
public import SystemPackage

extension KernelTree {
    /// Ways in which a kernel file can be useless.
    public enum Damage: Sendable, Hashable, CaseIterable {
        /// It is not there (for who opens it from now on).
        case missing
        /// It has no bytes, also for who has it open.
        case empty
        /// It has bytes that make no sense, also for who has it open.
        case garbage
    }

    /// Spoils a file, given by its path inside the root, for good: setting a figure does not write it any more.
    public func damage(_ path: String, _ damage: Damage) {
        change { state throws(Errno) in
            switch damage {
            case .missing: state.files.delete(path)
            case .empty: state.files.empty(path)
            case .garbage:
                state.files.empty(path)
                try state.files.write(path, "\u{7F}ELF \u{0} anon_thp total= 99999999999999999999999 kB\n")
            }
            state.broken.insert(path)
        }
    }

    /// Makes what opens a file from now on meet an error: `reading` when it is opened to read, `writing` when it is
    /// opened to write, `arming` when a trigger is written to it. Only for who is given ``root`` after this.
    public func fail(_ path: String, reading: Errno? = nil, writing: Errno? = nil, arming: Errno? = nil) {
        state.withLock { state in
            state.root.faults[path] = KernelFault(reading: reading, writing: writing, arming: arming)
        }
    }

    /// Makes whatever opens a file to read from now on meet EMFILE, as if the process had no descriptor left; false ends that. What is
    /// open stays readable.
    public func setDescriptorsExhausted(_ areExhausted: Bool) {
        state.withLock { $0.root.scarcity }?.set(areExhausted)
    }

    /// Tells in `/proc/self/cgroup` that the process was moved to another cgroup, which need not exist.
    public func moveProcess(to path: String) {
        change { state throws(Errno) in
            state.model.movedTo = path
            try state.writeMembership()
        }
    }
}
