#if os(Linux)
    public import Foundation

    /// The superclass of application and scene delegates. It has no chain of responders: there are no events to pass on.
    @preconcurrency @MainActor open class UIResponder: NSObject {
        /// A responder.
        public override init() {
            super.init()
        }
    }
#endif
