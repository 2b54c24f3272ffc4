#if os(Linux)
    internal import Foundation
    internal import Logging

    /// Makes the application and its delegate, runs the server, and ends the process with it.
    ///
    /// The main thread runs its loop: timers fire there, and the main queue and the main actor are served. On SIGTERM or SIGINT the process
    /// ends in order, with status 0. What keeps it from starting, or is thrown by a service, is logged: status 1.
    ///
    /// - Parameters:
    ///   - argc: Not looked at.
    ///   - argv: Not looked at.
    ///   - principalClassName: The name of a subclass of ``UIApplication``, as `NSStringFromClass` gives it; nil for the class itself.
    ///   - delegateClassName: The name of the delegate's class.
    /// - Returns: Never.
    @discardableResult
    public func UIApplicationMain(
        _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ principalClassName: String?,
        _ delegateClassName: String?
    ) -> Int32 {
        // Not marked as the main actor's: in Swift 6 mode the top level of a program could not call it.
        MainActor.assumeIsolated {
            if let name = principalClassName {
                guard let application = ApplicationProcess.make(name, as: UIApplication.self) else { exit(1) }
                UIApplication.use(application)
            }
            guard let name = delegateClassName else {
                ApplicationProcess.logger.critical("UIApplicationMain needs the name of the delegate's class")
                exit(1)
            }
            guard let delegate = ApplicationProcess.make(name, as: (any UIApplicationDelegate).self) else { exit(1) }
            ApplicationProcess(application: .shared, delegate: delegate).run()
        }
    }

    extension UIApplicationDelegate {
        /// Runs the server with a delegate of this class: what `@main` calls. See ``UIApplicationMain(_:_:_:_:)``.
        public static func main() {
            guard let delegate = (self as? NSObject.Type)?.made() as? Self else {
                ApplicationProcess.logger.critical("The delegate's class '\(self)' is no NSObject")
                exit(1)
            }
            ApplicationProcess(application: .shared, delegate: delegate).run()
        }
    }
#endif
