#if os(Linux)
    internal import Foundation

    extension NSObject {
        // Swift lets nobody call an initializer of a class that is known only when running, unless every subclass has to repeat it as
        // `required`; sources of applications do not. What allocates for an initializer takes the class as a value all the same, and
        // this is its name. A convenience initializer goes on to the subclass's own `init()`, as Objective-C does.
        @usableFromInline convenience init(uikitMade: ()) {
            self.init()
        }

        @_silgen_name("$s10Foundation8NSObjectC5UIKitE9uikitMadeACyt_tcfC")
        private class func uikitMake() -> NSObject

        /// Makes an object of this class by its `init()`. It traps where the class has other initializers and none without arguments.
        class func made() -> NSObject {
            uikitMake()
        }
    }
#endif
