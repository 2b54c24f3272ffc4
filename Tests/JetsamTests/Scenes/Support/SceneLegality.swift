import Testing

@testable import BackgroundTasks
@testable import Jetsam
@testable import PurgeableCaches

/// Which callbacks may follow which, as an observer sees it: written down apart from the machine that calls them.
enum SceneLegality {
    private enum Place {
        case unattached, background, inactive, active, resigning, ending, gone
    }

    /// Nil where the calls could have been made, else what is wrong with them.
    static func problem(_ calls: [String]) -> String? {
        var places: Set<Place> = [.unattached]
        for (index, call) in calls.enumerated() {
            places = Set(places.flatMap { next($0, call) })
            if places.isEmpty { return "\(call) at \(index) of \(calls)" }
        }
        return nil
    }

    private static func next(_ place: Place, _ call: String) -> Set<Place> {
        switch (place, call) {
        // After connecting the observer cannot tell whether it is on its way up or stands in the background.
        case (.unattached, "willConnect"): [.inactive, .background]
        case (.inactive, "didBecomeActive"): [.active]
        case (.active, "willResignActive"): [.inactive]
        case (.inactive, "didEnterBackground"): [.background]
        case (.background, "willEnterForeground"): [.inactive]
        case (.background, "willTerminate"): [.gone]
        case (.background, "didDisconnect"): [.gone]
        case (.inactive, "encodeState"), (.background, "encodeState"): [place]
        case (.inactive, "didReceiveMemoryWarning"), (.active, "didReceiveMemoryWarning"),
            (.background, "didReceiveMemoryWarning"):
            [place]
        default: []
        }
    }
}
