extension ManagerConfiguration {
    /// The settings for the records that are kept: to be read after the process has ended, and to try other thresholds on.
    public struct Recorder: Sendable, Equatable {
        /// The directory of the flight recorder, an absolute path that outlives the container. Nil, the default, turns it off.
        ///
        /// Why: It must outlive the container, and only the operator knows such a directory.
        public var directory: String?
        /// The number of bytes of the latest records that the flight recorder keeps. 64 KiB…64 MiB, default 1 MiB.
        ///
        /// Why: Some thousand records: the last minutes of a server under pressure, and far more of a calm one.
        public var capacityBytes = 1 << 20
        /// The file that a trace is written to, an absolute path; nil, the default, for none.
        ///
        /// Why: A trace grows, so the operator chooses its place.
        public var traceFile: String?
        /// The longest that the trace may become, in bytes; then it ends and says so. 1 MiB…1 TiB, default 1 GiB.
        ///
        /// Why: More than a day at ten readings a second.
        public var maximumTraceBytes = 1 << 30
        /// Indicates whether the names of caches, background tasks and scenes are written as a hash alone. Default false.
        ///
        /// Why: Names make a record readable. Set this if they may reveal a tenant.
        public var hashesNames = false

        package init() {}
    }

    /// The local socket by which `jetsam status`, `watch`, `simulate` and `release` reach the process.
    public struct Control: Sendable, Equatable {
        /// Indicates whether there is a control socket. Default false.
        ///
        /// Why: Anyone who can open the socket can empty the process's caches.
        public var isEnabled = false
        /// The directory that it is made in, an absolute path that only this user can enter; nil, the default, for
        /// `$XDG_RUNTIME_DIR/jetsam`.
        ///
        /// Why: `$XDG_RUNTIME_DIR` already belongs to the user alone.
        public var directory: String?

        package init() {}
    }
}

extension ManagerConfiguration.Recorder: ConfigurationPart {
    static let isFixed = true

    static let settings: [ManagerSetting] = [
        .path("recorder.directory", \.recorder.directory),
        .bytes("recorder.capacityBytes", \.recorder.capacityBytes, 64 << 10...64 << 20),
        .path("recorder.traceFile", \.recorder.traceFile),
        .bytes("recorder.maximumTraceBytes", \.recorder.maximumTraceBytes, 1 << 20...1 << 40),
        .flag("recorder.hashesNames", \.recorder.hashesNames),
    ]
}

extension ManagerConfiguration.Control: ConfigurationPart {
    static let isFixed = true

    static let settings: [ManagerSetting] = [
        .flag("control.isEnabled", \.control.isEnabled),
        .path("control.directory", \.control.directory),
    ]
}
