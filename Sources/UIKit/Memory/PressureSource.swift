#if os(Linux)
    internal import Foundation
    internal import MemoryPressure

    /// A ``DispatchSourceMemoryPressure`` over the library's own source.
    final class PressureSource: DispatchSourceMemoryPressure {
        private let base: MemoryPressureSource

        init(_ base: MemoryPressureSource) {
            self.base = base
        }

        var data: DispatchSource.MemoryPressureEvent { .init(rawValue: base.data.rawValue) }
        var mask: DispatchSource.MemoryPressureEvent { .init(rawValue: base.mask.rawValue) }
        var isCancelled: Bool { base.isCancelled }

        func activate() { base.activate() }
        func resume() { base.resume() }
        func suspend() { base.suspend() }
        func cancel() { base.cancel() }

        @preconcurrency func setEventHandler(
            qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable () -> Void)?
        ) {
            base.setEventHandler(qos: qos, flags: flags, handler: handler)
        }

        func setEventHandler(handler: DispatchWorkItem) { base.setEventHandler(handler: handler) }

        @preconcurrency func setCancelHandler(
            qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable () -> Void)?
        ) {
            base.setCancelHandler(qos: qos, flags: flags, handler: handler)
        }

        func setCancelHandler(handler: DispatchWorkItem) { base.setCancelHandler(handler: handler) }

        @preconcurrency func setRegistrationHandler(
            qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable () -> Void)?
        ) {
            base.setRegistrationHandler(qos: qos, flags: flags, handler: handler)
        }

        func setRegistrationHandler(handler: DispatchWorkItem) { base.setRegistrationHandler(handler: handler) }
    }
#endif
