#if os(Linux)
    public import Foundation
    internal import MemoryPressure

    /// A source of memory warnings, in the shape of Apple's protocol of the same name.
    ///
    /// `DispatchSource.makeMemoryPressureSource(eventMask:queue:)` makes one. Set the handlers, then activate it. It works until it is
    /// cancelled or let go of. All calls may be made from any thread.
    ///
    /// It is no `DispatchSourceProtocol`: on Linux the methods of that protocol trap for every source that Dispatch has not made.
    public protocol DispatchSourceMemoryPressure: AnyObject, Sendable {
        /// The newest event; to be looked at in the event handler.
        var data: DispatchSource.MemoryPressureEvent { get }
        /// The events that the handler is called for.
        var mask: DispatchSource.MemoryPressureEvent { get }
        /// Indicates whether it was cancelled.
        var isCancelled: Bool { get }
        /// Begins to watch.
        func activate()
        /// Undoes one ``suspend()``; activates a source that was not yet.
        func resume()
        /// Holds the handlers back until ``resume()``. Calls nest.
        func suspend()
        /// Stops it for good, and then calls the cancel handler.
        func cancel()
        /// Sets what is called on the queue at an event, which ``data`` names; nil for nothing.
        @preconcurrency func setEventHandler(
            qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable () -> Void)?)
        /// Sets the work item that is run on the queue at an event, which ``data`` names.
        func setEventHandler(handler: DispatchWorkItem)
        /// Sets what is called on the queue, once, when the source was cancelled; nil for nothing.
        @preconcurrency func setCancelHandler(
            qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable () -> Void)?)
        /// Sets the work item that is run on the queue, once, when the source was cancelled.
        func setCancelHandler(handler: DispatchWorkItem)
        /// Sets what is called on the queue, once, when the source has begun to watch; nil for nothing.
        @preconcurrency func setRegistrationHandler(
            qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable () -> Void)?)
        /// Sets the work item that is run on the queue, once, when the source has begun to watch.
        func setRegistrationHandler(handler: DispatchWorkItem)
    }

    extension DispatchSourceMemoryPressure {
        /// Sets what is called on the queue at an event, which ``data`` names; nil for nothing.
        @preconcurrency public func setEventHandler(qos: DispatchQoS = .unspecified, handler: (@Sendable () -> Void)?) {
            setEventHandler(qos: qos, flags: [], handler: handler)
        }

        /// Sets what is called on the queue, once, when the source was cancelled; nil for nothing.
        @preconcurrency public func setCancelHandler(qos: DispatchQoS = .unspecified, handler: (@Sendable () -> Void)?)
        {
            setCancelHandler(qos: qos, flags: [], handler: handler)
        }

        /// Sets what is called on the queue, once, when the source has begun to watch; nil for nothing.
        @preconcurrency public func setRegistrationHandler(
            qos: DispatchQoS = .unspecified, handler: (@Sendable () -> Void)?
        ) {
            setRegistrationHandler(qos: qos, flags: [], handler: handler)
        }
    }
#endif
