#if os(Linux)
    public import Foundation
    internal import MemoryPressure

    extension DispatchSource {
        /// The events of a source of memory warnings.
        public struct MemoryPressureEvent: OptionSet, Sendable, Hashable {
            /// The bits, with the values that Apple gives them.
            public let rawValue: UInt

            /// The events of these bits.
            public init(rawValue: UInt) {
                self.rawValue = rawValue
            }

            /// Memory is no longer short.
            public static let normal = MemoryPressureEvent(rawValue: 1)
            /// Memory is becoming short.
            public static let warning = MemoryPressureEvent(rawValue: 2)
            /// The process is close to being killed.
            public static let critical = MemoryPressureEvent(rawValue: 4)
            /// All of them.
            public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
        }

        /// Makes a source of memory warnings, which has to be activated.
        ///
        /// It is a `MemoryPressureSource` of the product `MemoryPressure`, and grades by itself: it needs no resource manager.
        ///
        /// - Parameters:
        ///   - eventMask: The events to be called for.
        ///   - queue: The queue for the handlers; nil for a global queue.
        public class func makeMemoryPressureSource(
            eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
        ) -> any DispatchSourceMemoryPressure {
            let mask = MemoryPressure.MemoryPressureEvent(rawValue: eventMask.rawValue)
            return PressureSource(.makeMemoryPressureSource(eventMask: mask, queue: queue))
        }
    }
#endif
