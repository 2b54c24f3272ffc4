extension ResourceManager.Configuration {
    /// How scenes are connected, moved and lost.
    public struct Scenes: Sendable, Equatable {
        /// The most scenes that may be connected. 1…1,000,000, default 10,000.
        public var maximumCount = 10_000
        /// How long connecting may take: making room, reading the state, `willConnect`, each. 1 ms…1 h, default 5 s.
        public var connectDeadline = Duration.seconds(5)
        /// How long one change of a scene's state may take, saving included. 1 ms…1 h, default 5 s.
        public var transitionDeadline = Duration.seconds(5)
        /// How long a scene that is lost may take for all its notices together. 1 ms…1 h, default 5 s.
        public var lossDeadline = Duration.seconds(5)
        /// How long restoring before readiness may take in all; what is not restored then comes after it. 1 ms…1 h, default
        /// 5 s.
        public var restorationDeadline = Duration.seconds(5)
        /// How long a successor may take to acknowledge a scene that is handed over. 1 ms…1 h, default 10 s.
        public var handOffDeadline = Duration.seconds(10)
        /// What a scene's caches may still hold in the background, in percent of what they hold on entering it. 0…100, default
        /// 50.
        public var backgroundCachePercent = 50
        /// The longest state that is stored or handed over, in bytes. 1…1 GiB, default 1 MiB.
        public var maximumStateBytes = 1 << 20
        /// A scene whose restoration was under way in this many starts that crashed is not restored again by itself.
        /// 1…100, default 2.
        public var crashedStarts = 2
        /// Whether room for a new scene may be made by disconnecting scenes that rank lower. Default true.
        public var takesRoomFromScenes = true

        /// The documented defaults.
        public init() {}

        /// Checks every value.
        ///
        /// - Throws: ``ConfigurationError`` for the first setting that is out of range.
        public func validate() throws(ConfigurationError) {
            let times = [
                ("connectDeadline", connectDeadline), ("transitionDeadline", transitionDeadline),
                ("lossDeadline", lossDeadline), ("restorationDeadline", restorationDeadline),
                ("handOffDeadline", handOffDeadline),
            ]
            for (name, time) in times {
                let allowed = Duration.milliseconds(1) ... .seconds(3600)
                try require(name, time, allowed.contains(time), "between 0.001 and 3600.0 seconds")
            }
            try require("maximumCount", maximumCount, (1...1_000_000).contains(maximumCount), "in 1…1000000")
            try require(
                "backgroundCachePercent", backgroundCachePercent, (0...100).contains(backgroundCachePercent), "in 0…100"
            )
            try require(
                "maximumStateBytes", maximumStateBytes, (1...(1 << 30)).contains(maximumStateBytes), "in 1…1073741824")
            try require("crashedStarts", crashedStarts, (1...100).contains(crashedStarts), "in 1…100")
        }

        private func require(
            _ name: String, _ value: some CustomStringConvertible, _ holds: Bool, _ allowed: String
        ) throws(ConfigurationError) {
            guard holds else {
                throw ConfigurationError(setting: "scenes.\(name)", value: value.description, allowed: allowed)
            }
        }
    }
}
