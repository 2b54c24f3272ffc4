#if NIO
    import JetsamNIO
    import NIOCore
    import NIOEmbedded
    import NIOPosix
    import MetricsTestKit
    import JetsamTesting
    import TestSupport
    import Testing
#endif
