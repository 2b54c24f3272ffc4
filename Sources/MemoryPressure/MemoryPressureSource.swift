public import Dispatch
internal import SystemPackage

/// A Dispatch source of memory warnings, in the shape of Apple's `DispatchSourceMemoryPressure`, which Linux lacks.
///
/// Code written for Apple's platforms ports by changing one line:
///
/// ```swift
/// // let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: queue)
/// let source = MemoryPressureSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: queue)
/// source.setEventHandler {
///     cache.shrink(by: source.data.contains(.critical) ? 1 : 0.2)
/// }
/// source.activate()
/// ```
///
/// On Linux its events come from three places, whichever is first:
/// - *headroom*, the bytes until the tightest hard limit over the process's cgroup and its ancestors: a warning below 20 %
///   of the limit (at most 2 GiB, from 128 MiB on at least 48 MiB), critical below 10 % (1 GiB, 24 MiB);
/// - *stall*, the share of two seconds in which some task waited for memory (PSI): a warning above 7 %, critical above
///   30 %, each only where less than half of the limit is left, because writing a log waits too;
/// - `memory.events`: new `oom` or `oom_kill` are critical, new `high` or `max` a warning where less than half of the limit and
///   little page cache is left; and systemd's `MEMORY_PRESSURE_WATCH`: a warning.
///
/// A `ResourceManager` grades these three by the same code.
///
/// The kernel wakes it through PSI triggers, `memory.events` and v1 usage thresholds, if they are available: ``sources`` says
/// which are missing, and why. It also reads by itself once a second, or every 100 ms if less than half of the limit is left
/// and no usage threshold is armed. A server that can grow faster than that needs the sampler of the `Jetsam` product.
///
/// A level falls one step at a time: `.critical` when nothing has called for it for 2 s, `.warning` for 5 s. On the way down
/// `.warning` is announced only if something calls for it. While something still calls for a level, it is announced again
/// every 30 s. As with Dispatch, events that come while the handler is busy or the source is suspended are merged, and
/// ``data`` is the newest. Activate the source: it works until it is cancelled or dropped. When it is cancelled, it drops its
/// handlers.
///
/// On Apple's platforms it is Apple's source and has Apple's grades.
public final class MemoryPressureSource: Sendable {
    private struct State {
        var isActive = false
        var suspensions = 0
    }

    /// The events that the handler is called for.
    public let mask: MemoryPressureEvent
    // Dispatch sources may be used from any thread; the overlay does not say so.
    private nonisolated(unsafe) let base: any DispatchSourceProtocol
    private let state = Lock(State())
    #if os(Linux)
        package let observer: PressureObserver
    #endif

    /// Makes a source; its handlers are to be set and it is to be activated.
    ///
    /// - Parameters:
    ///   - eventMask: The events to be called for.
    ///   - queue: The queue for the handlers; nil for a global queue.
    public static func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> MemoryPressureSource {
        MemoryPressureSource(eventMask: eventMask, queue: queue)
    }

    #if os(Linux)
        package init(
            eventMask: MemoryPressureEvent, queue: DispatchQueue?,
            observing surroundings: PressureObserver.Surroundings = .init()
        ) {
            mask = eventMask
            let source = DispatchSource.makeUserDataReplaceSource(queue: queue)
            unsafe base = source
            nonisolated(unsafe) let target = source
            observer = PressureObserver(surroundings) { level in
                let event = MemoryPressureEvent(level)
                if eventMask.contains(event) { unsafe target.replace(data: event.rawValue) }
            }
        }
    #else
        private init(eventMask: MemoryPressureEvent, queue: DispatchQueue?) {
            mask = eventMask
            unsafe base = DispatchSource.makeMemoryPressureSource(
                eventMask: DispatchSource.MemoryPressureEvent(rawValue: eventMask.rawValue), queue: queue)
        }
    #endif

    deinit {
        #if os(Linux)
            observer.stop()
        #endif
        // Dispatch stops the process where a source is let go of that is inactive or suspended.
        let state = state.withLock { $0 }
        if !state.isActive {
            unsafe base.cancel()
            unsafe base.activate()
        }
        for _ in 0..<state.suspensions { unsafe base.resume() }
    }

    /// The newest event; to be looked at in the event handler.
    public var data: MemoryPressureEvent { unsafe MemoryPressureEvent(rawValue: base.data) }

    /// Indicates whether it was cancelled.
    public var isCancelled: Bool { unsafe base.isCancelled }

    /// Every source of signals: used, or why not. Those of readings come first, then those of wake-ups; `memory.events` is
    /// both. Empty until the source is activated, and on Apple's platforms.
    public var sources: [SourceStatus] {
        #if os(Linux)
            observer.statuses
        #else
            []
        #endif
    }

    /// Begins to watch; nothing is reported before. On Linux it opens the kernel's files before it returns.
    public func activate() {
        state.withLock { $0.isActive = true }
        startObserving()
        unsafe base.activate()
    }

    /// Undoes one ``suspend()``; activates a source that was not yet.
    public func resume() {
        let activates = state.withLock { state in
            guard state.suspensions == 0 else {
                state.suspensions -= 1
                return false
            }
            state.isActive = true
            return true
        }
        if activates { startObserving() }
        unsafe base.resume()
    }

    /// Holds the handlers back until ``resume()``. Calls nest.
    public func suspend() {
        state.withLock { $0.suspensions += 1 }
        unsafe base.suspend()
    }

    /// Stops it for good, and then calls the cancel handler. Idempotent.
    public func cancel() {
        #if os(Linux)
            observer.stop()
        #endif
        unsafe base.cancel()
    }

    private func startObserving() {
        #if os(Linux)
            observer.start()
        #endif
    }
}

extension MemoryPressureSource {
    /// Sets what is called on the queue at an event, which ``data`` names; nil for nothing.
    @preconcurrency public func setEventHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: (@Sendable () -> Void)?
    ) {
        unsafe base.setEventHandler(qos: qos, flags: flags, handler: handler)
    }

    /// Sets the work item that is run on the queue at an event, which ``data`` names.
    public func setEventHandler(handler: DispatchWorkItem) {
        unsafe base.setEventHandler(handler: handler)
    }

    /// Sets what is called on the queue, once, when the source was cancelled; nil for nothing.
    @preconcurrency public func setCancelHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: (@Sendable () -> Void)?
    ) {
        unsafe base.setCancelHandler(qos: qos, flags: flags, handler: handler)
    }

    /// Sets the work item that is run on the queue, once, when the source was cancelled.
    public func setCancelHandler(handler: DispatchWorkItem) {
        unsafe base.setCancelHandler(handler: handler)
    }

    /// Sets what is called on the queue, once, when the source has begun to watch; nil for nothing.
    @preconcurrency public func setRegistrationHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: (@Sendable () -> Void)?
    ) {
        unsafe base.setRegistrationHandler(qos: qos, flags: flags, handler: handler)
    }

    /// Sets the work item that is run on the queue, once, when the source has begun to watch.
    public func setRegistrationHandler(handler: DispatchWorkItem) {
        unsafe base.setRegistrationHandler(handler: handler)
    }
}
