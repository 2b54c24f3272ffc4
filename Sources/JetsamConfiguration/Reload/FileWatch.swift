/// The rule that says when the contents of a file are taken over: once they were asked for, or once two looks found the same.
///
/// A program that writes a file in place has it half written for a moment, and half a YAML file is often a good one with fewer
/// settings.
struct FileWatch {
    enum Action: Equatable {
        case nothing
        case take([UInt8])
        /// It can no longer be read; said once.
        case cannotRead(BoundedFile.Failure)
    }

    /// The contents that were taken last, whether they were of use or not.
    private var taken: [UInt8]
    /// The contents that the last look found, where they are something else.
    private var candidate: [UInt8]?
    private var hasFailed = false

    init(taken: [UInt8]) {
        self.taken = taken
    }

    /// - Parameter isAsked: True where somebody says that the file is ready.
    mutating func look(_ found: Result<[UInt8], BoundedFile.Failure>, isAsked: Bool) -> Action {
        switch found {
        case .failure(let error):
            candidate = nil
            guard isAsked || !hasFailed else { return .nothing }
            hasFailed = true
            return .cannotRead(error)
        case .success(let bytes):
            hasFailed = false
            guard bytes != taken else {
                candidate = nil
                return .nothing
            }
            guard isAsked || bytes == candidate else {
                candidate = bytes
                return .nothing
            }
            (taken, candidate) = (bytes, nil)
            return .take(bytes)
        }
    }
}
