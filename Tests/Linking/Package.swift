// swift-tools-version: 6.2
import PackageDescription

// What `tools/prove linking` builds, statically and not: the same program with the C library's allocator and with jemalloc, and
// programs that use one module alone.
let package = Package(
    name: "Linking",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-jetsam", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
    ],
    targets: [
        .executableTarget(name: "Plain", dependencies: [.product(name: "Jetsam", package: "swift-jetsam")]),
        .executableTarget(
            name: "Jemalloc",
            dependencies: [
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "JetsamJemalloc", package: "swift-jetsam"),
            ]),
        // What `tools/prove cost` compares.
        .executableTarget(
            name: "With",
            dependencies: [
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "Without",
            dependencies: [
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "Tasks", dependencies: [.product(name: "BackgroundTasks", package: "swift-jetsam")]),
        .executableTarget(
            name: "Caches", dependencies: [.product(name: "PurgeableCaches", package: "swift-jetsam")]),
    ]
)
