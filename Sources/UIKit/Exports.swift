#if os(Linux)
    // As Apple's module does: a file that imports UIKit needs no other import.
    @_exported public import Foundation
#endif
