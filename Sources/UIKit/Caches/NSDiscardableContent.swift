#if os(Linux)
    /// The protocol of objects whose content can be thrown away while nobody uses it, as Apple's Foundation has it.
    ///
    /// A ``NSCache`` throws the content of such objects away first when memory is short. It calls these methods under no lock, on any
    /// thread.
    public protocol NSDiscardableContent: AnyObject {
        /// Begins a use of the content: it is not thrown away before the use has ended.
        ///
        /// - Returns: False where the content is gone, and has to be made again.
        func beginContentAccess() -> Bool
        /// Ends a use of the content.
        func endContentAccess()
        /// Throws the content away, if nobody uses it.
        func discardContentIfPossible()
        /// Indicates whether the content was thrown away.
        func isContentDiscarded() -> Bool
    }
#endif
