import Testing

/// Applications live in `UIApplication.shared` and in the caches of the process: one test at a time.
@Suite(.serialized) struct ApplicationTests {}
