internal import MemoryPressure

extension ResourceManager {
    /// Goes by another configuration from now on, all of it at once.
    ///
    /// The level, the work under way and the figures that were learnt stay. The new thresholds count at once; a step that is under
    /// way ends as it began. The settings that are used once at the start stay as they are: `lifecycle`, `scenes`, `recorder` and
    /// `control`.
    /// - Returns: The settings that are other now, and those that take effect only when a manager is made with them.
    /// - Throws: ``ConfigurationError`` for a configuration that cannot be used; then nothing has changed.
    @discardableResult
    public func apply(_ configuration: ManagerConfiguration) throws(ConfigurationError) -> ConfigurationChange {
        try configuration.validate()
        return applying.withLock { _ in change(to: configuration) }
    }

    /// Has everything decided and recorded and nothing done, or done again; see ``ManagerConfiguration/isDryRun``.
    ///
    /// A step that is under way ends as it began. Limits of caches that were set are lifted once the level is normal. The next
    /// configuration that is applied sets it again.
    public func setDryRun(_ isDryRun: Bool) {
        applying.withLock { _ in
            var configuration = governor.configuration
            configuration.isDryRun = isDryRun
            _ = change(to: configuration)
        }
    }

    /// Under the lock of those who apply one.
    private func change(to configuration: ManagerConfiguration) -> ConfigurationChange {
        let old = governor.configuration
        let change = ConfigurationChange(from: old, to: configuration)
        guard !change.applied.isEmpty else { return change }
        var new = configuration
        new.keepFixedParts(of: old)
        // What is decided from here on is only decided, or done.
        reclaimer.reconfigure(new)
        ladder.reconfigure(new.ladder)
        // Takes the usage thresholds away as well: before the governor forgets them, or it would go on counting on them.
        if old.stall != new.stall { events?.rearm(Self.triggers(new)) }
        governor.reconfigure(new)
        governor.judge(.request)
        return change
    }
}
