#if os(Linux)
    public import Foundation

    /// The superclass of application and scene delegates. It has no chain of responders: there are no events to pass on.
    @preconcurrency @MainActor open class UIResponder: NSObject {
        /// The activity that the application keeps here, such as what a scene's delegate returns from `stateRestorationActivity(for:)`.
        /// Nothing passes it on.
        open var userActivity: NSUserActivity?

        /// A responder.
        public override init() {
            super.init()
        }
    }
#endif
