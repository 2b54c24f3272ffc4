#if os(Linux)
    internal import Foundation
    internal import Jetsam

    /// Makes the stored state of a scene from an activity, and the activity from the state.
    enum ActivityCoding {
        private static let version: UInt32 = 1

        /// - Throws: `Refusal`, naming the value that cannot be stored.
        static func state(of activity: NSUserActivity) throws -> SceneStateData {
            var info: [String: Any] = [:]
            for (key, value) in activity.userInfo ?? [:] {
                guard let name = key.base as? String else { throw Refusal(key: "\(key)", reason: "its key is no text") }
                guard PropertyListSerialization.propertyList(value, isValidFor: .binary) else {
                    throw Refusal(key: name, reason: "a \(type(of: value)) is no value of a property list")
                }
                info[name] = value
            }
            var list: [String: Any] = ["activityType": activity.activityType, "userInfo": info]
            list["title"] = activity.title
            list["targetContentIdentifier"] = activity.targetContentIdentifier
            list["webpageURL"] = activity.webpageURL?.absoluteString
            let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            return SceneStateData(version: version, bytes: Array(data))
        }

        /// Returns nil where the state is of another version, or nothing that this can read.
        static func activity(from state: SceneStateData) -> NSUserActivity? {
            guard state.version == version,
                let list = try? unsafe PropertyListSerialization.propertyList(from: Data(state.bytes), format: nil)
                    as? [String: Any],
                let type = list["activityType"] as? String
            else { return nil }
            let activity = NSUserActivity(activityType: type)
            activity.userInfo = list["userInfo"] as? [String: Any]
            activity.title = list["title"] as? String
            activity.targetContentIdentifier = list["targetContentIdentifier"] as? String
            activity.webpageURL = (list["webpageURL"] as? String).flatMap { URL(string: $0) }
            return activity
        }

        /// A value of an activity that cannot be stored.
        struct Refusal: Error, CustomStringConvertible {
            let key: String
            let reason: String

            var description: String {
                "userInfo of the state restoration activity cannot be stored: '\(key)': \(reason). Allowed are texts as keys, and texts, numbers, booleans, dates, data, arrays and dictionaries as values"
            }
        }
    }
#endif
