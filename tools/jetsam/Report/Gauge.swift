/// What is plotted as it was at a moment.
enum Gauge: Int, CaseIterable {
    case usage, unreclaimable, limit, high, headroom, warningEntry, criticalEntry, footprint
    /// Of a dry run: what was really used.
    case usedReally
    /// Hundredths of a percent.
    case stall
    case held, expired, overdue, refused
    case active, inactive, background, suspended
}

/// What is added up over a stretch of time, in bytes.
enum Amount: Int, CaseIterable {
    case asked, promised, freed, returned
}
