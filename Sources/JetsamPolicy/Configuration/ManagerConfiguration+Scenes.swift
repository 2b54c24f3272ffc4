extension ManagerConfiguration {
    /// The settings for how scenes are connected, moved and lost.
    public struct Scenes: Sendable, Equatable {
        /// The most scenes that may be connected. 1…1,000,000, default 10,000.
        public var maximumCount = 10_000
        /// The time that each part of connecting may take: making room, reading the state, `willConnect`. 1 ms…1 h, default 5 s.
        public var connectDeadline = Duration.seconds(5)
        /// The time that one change of a scene's state may take, saving included. 1 ms…1 h, default 5 s.
        public var transitionDeadline = Duration.seconds(5)
        /// The time that a scene that is lost may take for all its notices together. 1 ms…1 h, default 5 s.
        public var lossDeadline = Duration.seconds(5)
        /// The time that restoring before readiness may take in all. Scenes that are not restored by then are restored
        /// afterwards. 1 ms…1 h, default 5 s.
        public var restorationDeadline = Duration.seconds(5)
        /// The time that a successor may take to acknowledge a scene that is handed over. 1 ms…1 h, default 10 s.
        public var handOffDeadline = Duration.seconds(10)
        /// The bytes that a scene's caches may still hold in the background, in percent of what they hold on entering it. 0…100,
        /// default 50.
        public var backgroundCachePercent = 50
        /// The longest state that is stored or handed over, in bytes. 1…1 GiB, default 1 MiB.
        public var maximumStateBytes = 1 << 20
        /// A scene whose restoration was under way in this many starts that crashed is not restored again by itself.
        /// 1…100, default 2.
        public var crashedStarts = 2
        /// Indicates whether room for a new scene may be made by disconnecting scenes that rank lower. Default true; it counts
        /// only where `ladder.takesScenes` is true, which it is not by default.
        public var takesRoomFromScenes = true

        package init() {}

        /// Checks every value.
        ///
        /// - Throws: ``ConfigurationError`` for the first setting that is out of range.
        package func validate() throws(ConfigurationError) {
            var findings = ConfigurationFindings()
            check(&findings)
            if let first = findings.problems.first { throw first }
        }

        func check(_ findings: inout ConfigurationFindings) {
            findings.range("scenes.maximumCount", maximumCount, 1...1_000_000)
            findings.time("scenes.connectDeadline", connectDeadline, .milliseconds(1))
            findings.time("scenes.transitionDeadline", transitionDeadline, .milliseconds(1))
            findings.time("scenes.lossDeadline", lossDeadline, .milliseconds(1))
            findings.time("scenes.restorationDeadline", restorationDeadline, .milliseconds(1))
            findings.time("scenes.handOffDeadline", handOffDeadline, .milliseconds(1))
            findings.range("scenes.backgroundCachePercent", backgroundCachePercent, 0...100)
            findings.range("scenes.maximumStateBytes", maximumStateBytes, 1...1 << 30)
            findings.range("scenes.crashedStarts", crashedStarts, 1...100)
        }
    }
}
