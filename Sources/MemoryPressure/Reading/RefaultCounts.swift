/// Pages that were read back after the kernel had taken them, by `memory.stat` or `/proc/vmstat`.
///
/// A file that is read from end to end over and over brings nothing but such pages, and more memory would not help unless all of it
/// fits. The kernel tells these from a working set: a page counts as *activated* if it would have stayed with as much memory more as
/// the active pages have, and as *restored* if it had been active before (mm/workingset.c). Measured in a group with 172 MiB for files:
/// in eight seconds 4.6 million pages of a scan came back, and 20 were activated; of a file read in random order 54,000 of 139,000.
struct RefaultCounts: Equatable {
    /// Pages of anonymous memory: they were swapped out, and a program touched them.
    var anonymous = 0
    /// Pages of files, of a scan or not.
    var file = 0
    /// Indicates whether any count was found.
    private(set) var isKnown = false
    private var activated: Int?
    private var restored: Int?

    /// Pages of files that belong to a working set; nil where they are not counted, as in v1's `memory.stat`.
    ///
    /// The classic lists count a restored page as activated too. With generations of pages (`lru_gen`) only page faults activate, and
    /// what is read with `read` can only be restored.
    var workingSet: Int? { activated == nil && restored == nil ? nil : max(activated ?? 0, restored ?? 0) }
    var pages: Int { anonymous &+ file }
    /// Pages of files that belong to no working set; 0 where that is not known.
    var scanned: Int { max(0, file &- (workingSet ?? file)) }

    /// Takes over a count that the file names, in the words of v2 and of `/proc/vmstat`.
    @inline(__always)
    mutating func take(_ entry: ByteScanner.Entry) {
        switch entry.key {
        case Keys.anonymous: anonymous = entry.value
        case Keys.file, Keys.both: file = entry.value
        case Keys.activatedFile, Keys.activated: activated = entry.value
        case Keys.restoredFile, Keys.restored: restored = entry.value
        default: return
        }
        isKnown = true
    }

    private enum Keys {
        static let anonymous = PackedKey("workingset_refault_anon"), file = PackedKey("workingset_refault_file")
        static let activatedFile = PackedKey("workingset_activate_file")
        static let restoredFile = PackedKey("workingset_restore_file")
        /// Before Linux 5.9, where anonymous pages had none.
        static let both = PackedKey("workingset_refault")
        static let activated = PackedKey("workingset_activate"), restored = PackedKey("workingset_restore")
    }
}

/// Tells the pages of a scan from others for a v1 group, whose own file does not.
///
/// The machine counts a working set's (`/proc/vmstat`): of the pages that came back in the group, as many belong to one as were activated
/// on the machine meanwhile. The group's active pages are no measure: a scan through a mapping may have half of them active for a second.
struct LegacyRefaults {
    /// Pages that came back until the last call.
    private(set) var pages = 0
    /// Of these, pages of files that belong to no working set, since the first call.
    private(set) var scanned = 0
    private var lastFile: Int?
    private var lastWorkingSet: Int?

    /// Takes over what is counted now.
    ///
    /// - Parameters:
    ///   - group: The counts of the group.
    ///   - machine: The counts of the machine, read after them. Where it does not count a working set, no page is taken for a scan's.
    mutating func count(_ group: RefaultCounts, machine: RefaultCounts?) {
        if let lastFile, let lastWorkingSet, let workingSet = machine?.workingSet {
            scanned &+= max(0, (group.file &- lastFile) &- max(0, workingSet &- lastWorkingSet))
        }
        (lastFile, lastWorkingSet, pages) = (group.file, machine?.workingSet, group.pages)
    }
}
