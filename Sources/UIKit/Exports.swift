#if os(Linux)
    // As Apple's module does: a file that imports UIKit needs no other import.
    @_exported public import Foundation
    // On Apple's platforms a part of Foundation: `URLSession`, `URLCache`.
    @_exported public import FoundationNetworking
#endif
