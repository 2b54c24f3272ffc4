extension ManagerConfiguration {
    /// The settings for how scenes are connected, moved and lost.
    public struct Scenes: Sendable, Equatable {
        /// The most scenes that may be connected. 1…1,000,000, default 10,000.
        ///
        /// Why: A mistake in the application cannot connect more.
        public var maximumCount = 10_000
        /// The time that each part of connecting may take: making room, reading the state, `willConnect`. 1 ms…1 h, default 5 s.
        ///
        /// Why: As for launching.
        public var connectDeadline = Duration.seconds(5)
        /// The time that one change of a scene's state may take, saving included. 1 ms…1 h, default 5 s.
        ///
        /// Why: As for the process entering the background.
        public var transitionDeadline = Duration.seconds(5)
        /// The time that a scene that is lost may take for all its notices together. 1 ms…1 h, default 5 s.
        ///
        /// Why: All callbacks of one victim together have the time that one callback has otherwise.
        public var lossDeadline = Duration.seconds(5)
        /// The time that restoring before readiness may take in all. Scenes that are not restored by then are restored
        /// afterwards. 1 ms…1 h, default 5 s.
        ///
        /// Why: Scenes that are not restored by then are restored after readiness.
        public var restorationDeadline = Duration.seconds(5)
        /// The time that a successor may take to acknowledge a scene that is handed over. 1 ms…1 h, default 10 s.
        ///
        /// Why: The successor makes room and connects within it.
        public var handOffDeadline = Duration.seconds(10)
        /// The bytes that a scene's caches may still hold in the background, in percent of what they hold on entering it. 0…100,
        /// default 50.
        ///
        /// Why: Half of the cache is enough to come back quickly.
        public var backgroundCachePercent = 50
        /// The longest state that is stored or handed over, in bytes. 1…1 GiB, default 1 MiB.
        ///
        /// Why: A state is a place to continue from, and not a database.
        public var maximumStateBytes = 1 << 20
        /// If this many starts crashed while they restored a scene, that scene is not restored automatically again. 1…100,
        /// default 2.
        ///
        /// Why: One crash may be chance.
        public var crashedStarts = 2
        /// Indicates whether room for a new scene may be made by disconnecting scenes that rank lower. Default true; it counts
        /// only where `ladder.takesScenes` is true, which it is not by default.
        ///
        /// Why: A scene declares how many bytes it expects, and ranks by state and priority. Has an effect only with
        /// `ladder.takesScenes`.
        public var takesRoomFromScenes = true

        package init() {}

        /// Checks every value.
        ///
        /// - Throws: ``ConfigurationError`` for the first setting that is out of range.
        package func validate() throws(ConfigurationError) {
            var configuration = ManagerConfiguration()
            configuration.scenes = self
            try configuration.validate()
        }
    }
}

extension ManagerConfiguration.Scenes: ConfigurationPart {
    static let isFixed = true

    static let settings: [ManagerSetting] = [
        .integer("scenes.maximumCount", \.scenes.maximumCount, 1...1_000_000),
        .duration("scenes.connectDeadline", \.scenes.connectDeadline, from: .milliseconds(1)),
        .duration("scenes.transitionDeadline", \.scenes.transitionDeadline, from: .milliseconds(1)),
        .duration("scenes.lossDeadline", \.scenes.lossDeadline, from: .milliseconds(1)),
        .duration("scenes.restorationDeadline", \.scenes.restorationDeadline, from: .milliseconds(1)),
        .duration("scenes.handOffDeadline", \.scenes.handOffDeadline, from: .milliseconds(1)),
        .integer("scenes.backgroundCachePercent", \.scenes.backgroundCachePercent, 0...100),
        .bytes("scenes.maximumStateBytes", \.scenes.maximumStateBytes, 1...1 << 30),
        .integer("scenes.crashedStarts", \.scenes.crashedStarts, 1...100),
        .flag("scenes.takesRoomFromScenes", \.scenes.takesRoomFromScenes),
    ]
}
