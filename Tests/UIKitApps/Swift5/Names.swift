// The one line that a target needs where files import Foundation beside UIKit.
#if os(Linux)
    import UIKit

    typealias NSCache = UIKit.NSCache
    typealias NSCacheDelegate = UIKit.NSCacheDelegate
#endif
