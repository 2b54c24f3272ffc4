import UIKit

/// Pictures that come from a network, and are kept until memory is short.
final class PictureLoader {
    static let shared = PictureLoader()
    private let pictures = NSCache<NSURL, NSData>()
    private var observer: NSObjectProtocol?

    private init() {
        pictures.totalCostLimit = 50 * 1024 * 1024
        observer = NotificationCenter.default.addObserver(
            forName: UIApplication.didReceiveMemoryWarningNotification, object: nil, queue: .main
        ) { [weak self] _ in
            self?.pictures.removeAllObjects()
            URLCache.shared.removeAllCachedResponses()
        }
    }

    func picture(at url: URL, completion: @escaping (Data?) -> Void) {
        if let known = pictures.object(forKey: url as NSURL) {
            completion(known as Data)
            return
        }
        URLSession.shared.dataTask(with: URLRequest(url: url)) { [weak self] data, _, _ in
            if let data = data {
                self?.pictures.setObject(data as NSData, forKey: url as NSURL, cost: data.count)
            }
            DispatchQueue.main.async { completion(data) }
        }.resume()
    }
}

class DocumentSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        scene.userActivity = connectionOptions.userActivities.first ?? session.stateRestorationActivity
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        return scene.userActivity
    }
}
