extension ManagerConfiguration {
    /// The settings for how caches are asked to give memory back.
    public struct Reclaim: Sendable, Equatable {
        /// The bytes that a step asks for where the rule does not say how many are missing (`stall`, `events`, `external`), in
        /// percent of all that registered caches report. Doubled, up to 40, after a step that lowered the rule's observed value
        /// by a quarter. After one that did not, the time between two such steps doubles, and for `stall` the share halves.
        /// 1…100, default 5.
        ///
        /// Why: Of the bytes that caches report, every two seconds: stall, events and an operator name no number of
        /// bytes. The share doubles, up to 40, if the last step lowered the signal by a quarter. If it did not, the time
        /// doubles, up to 32 seconds, and for a stall the share halves, down to 1.
        public var sharePercent = 5
        /// The shortest time between two steps where the first brought nothing. The same between two at `warning` where other
        /// processes use the limit too, and memory does not reach it within a second. Default 250 ms.
        ///
        /// Why: After a step that brought nothing. At `warning` also if other processes use the limit, because they do
        /// their share meanwhile, unless memory reaches the limit within a second.
        public var warningSpacing = Duration.milliseconds(250)
        /// The time that one handler may take at `warning` before the others go on without it. Default 1 s.
        ///
        /// Why: A handler that writes something out may take that long.
        public var warningDeadline = Duration.seconds(1)
        /// The time that one handler may take at `critical`. Default 100 ms.
        ///
        /// Why: At critical the next cache cannot wait. If other processes use the limit too, and it is a second away or
        /// more, this is the time that they have for their share.
        public var criticalDeadline = Duration.milliseconds(100)
        /// The share of the spare headroom, in percent a second, by which limits rise at `normal`. Default 10.
        ///
        /// Why: Of the spare headroom a second, so that usage comes near the threshold and never jumps over it. Spare
        /// is the headroom that is neither required nor needed for a rise of other memory: the largest within ten
        /// seconds of the last five minutes.
        public var regrowthPercent = 10
        /// The distance that regrowth keeps from the entry of `warning`, in percent of the distance between entry and exit.
        /// Default 20.
        ///
        /// Why: Regrowth ends at this part of the way from warning's entry to its exit. The part doubles, up to the
        /// whole way, if the level rises within two minutes of a raise. It halves again after ten minutes of calm.
        public var regrowthFloorPercent = 20

        package init() {}
    }

    /// The settings for when glibc's allocator is trimmed. jemalloc's purge is cheap, so jemalloc is purged after each step
    /// instead.
    public struct Trim: Sendable, Equatable {
        /// At least this many bytes were freed since the last trim, or as many as are missing. Default 32 MiB.
        ///
        /// Why: With a million small free chunks a trim costs 73 to 120 ms, however little it brings. Fewer bytes are
        /// enough if no more are missing.
        public var minimumFreedBytes = 32 << 20
        /// At least this percent of the limit was freed since the last trim, or as much as is missing. Default 5.
        ///
        /// Why: As above, for large limits.
        public var minimumFreedPercent = 5
        /// No sooner after the last trim than this many times its duration. Default 20.
        ///
        /// Why: At most a twentieth of the time goes into trimming.
        public var durationFactor = 20
        /// With less time than this to the limit, caches are asked before the allocator is trimmed. Default 500 ms.
        ///
        /// Why: With less time than this, caches come before the trim.
        public var urgentTimeToLimit = Duration.milliseconds(500)

        package init() {}
    }

    /// The settings for when the last resort is called.
    public struct LastResort: Sendable, Equatable {
        /// The time that the level may stay `critical`, in an emergency, with nothing left to take from the caches. 0…3600 s,
        /// default 60 s.
        ///
        /// Why: A process that crawls for longer had better restart.
        public var degradedLimit = Duration.seconds(60)

        package init() {}
    }
}

extension ManagerConfiguration.Reclaim: ConfigurationPart {
    static let settings: [ManagerSetting] = [
        .integer("reclaim.sharePercent", \.reclaim.sharePercent, 1...100),
        .duration("reclaim.warningSpacing", \.reclaim.warningSpacing, from: .milliseconds(1)),
        .duration("reclaim.warningDeadline", \.reclaim.warningDeadline, from: .milliseconds(1)),
        .duration("reclaim.criticalDeadline", \.reclaim.criticalDeadline, from: .milliseconds(1)),
        .integer("reclaim.regrowthPercent", \.reclaim.regrowthPercent, 0...100),
        .integer("reclaim.regrowthFloorPercent", \.reclaim.regrowthFloorPercent, 0...100),
    ]
}

extension ManagerConfiguration.Trim: ConfigurationPart {
    static let settings: [ManagerSetting] = [
        .bytes("trim.minimumFreedBytes", \.trim.minimumFreedBytes, from: 0),
        .integer("trim.minimumFreedPercent", \.trim.minimumFreedPercent, 0...100),
        .integer("trim.durationFactor", \.trim.durationFactor, 0...10_000),
        .duration("trim.urgentTimeToLimit", \.trim.urgentTimeToLimit, from: .zero),
    ]
}

extension ManagerConfiguration.LastResort: ConfigurationPart {
    static let settings: [ManagerSetting] = [
        .duration("lastResort.degradedLimit", \.lastResort.degradedLimit, from: .zero)
    ]
}
