#if os(Linux)
    public import Foundation

    /// What somebody was doing in a scene: its state between two runs, and the wish for a scene. Foundation on Linux has no such class.
    ///
    /// A state is stored as a property list: ``userInfo`` may have keys that are texts, and numbers, texts, dates, data, arrays and
    /// dictionaries as values.
    open class NSUserActivity: NSObject {
        /// The kind of the activity, such as `com.example.edit`.
        public let activityType: String
        /// The title, for a person to read.
        open var title: String?
        /// What is needed to go on.
        open var userInfo: [AnyHashable: Any]?
        /// The identifier of what the activity is about. A scene that is asked for with it has it as its identifier.
        open var targetContentIdentifier: String?
        /// A page that has the same content.
        open var webpageURL: URL?
        /// The keys of ``userInfo`` that are needed to go on. They are not looked at: all of it is stored.
        open var requiredUserInfoKeys: Set<String>?

        /// An activity of that kind.
        public init(activityType: String) {
            self.activityType = activityType
            super.init()
        }

        /// Adds to ``userInfo``; what is there under the same keys is replaced.
        open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
            userInfo = (userInfo ?? [:]).merging(otherDictionary) { $1 }
        }

        /// Does nothing: no other device is told.
        open func becomeCurrent() {}

        /// Does nothing: no other device is told.
        open func resignCurrent() {}

        /// Does nothing: no other device is told.
        open func invalidate() {}
    }
#endif
