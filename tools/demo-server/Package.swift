// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

// A package of its own, so that who uses Jetsam does not fetch a web framework with it.
let package = Package(
    name: "demo-server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-jetsam", path: "../..", traits: ["Hummingbird"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
    ],
    targets: [
        .executableTarget(
            name: "demo-server",
            dependencies: [
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "JetsamConfiguration", package: "swift-jetsam"),
                .product(name: "JetsamHummingbird", package: "swift-jetsam"),
                .product(name: "JetsamPrometheus", package: "swift-jetsam"),
                .product(name: "MemoryPressure", package: "swift-jetsam"),
                .product(name: "_StressPatterns", package: "swift-jetsam"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/DemoServer",
            swiftSettings: settings
        ),
        // Built, and never run: names of others in files that import Jetsam too.
        .target(
            name: "Beside",
            dependencies: [
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Beside",
            swiftSettings: settings
        ),
    ]
)

// The program of tools/simulate. It is built here because the library is optimised here already, which takes minutes.
if Context.environment["JETSAM_SIMULATION"] != nil {
    package.targets.append(
        .executableTarget(
            name: "jetsam-simulation",
            dependencies: [.product(name: "JetsamSimulation", package: "swift-jetsam")],
            path: "Sources/Simulation",
            swiftSettings: settings
        ))
}

// The examples of README and pages, as tools/support/check-examples takes them from there. Those of a product's page have the product,
// and README's second one has JetsamConfiguration; the others are linked without them.
for name in (Context.environment["JETSAM_EXAMPLES"] ?? "").split(separator: " ").map(String.init) {
    let products: [Target.Dependency] =
        switch name {
        case let name where name.hasPrefix("JetsamHummingbird"):
            [
                .product(name: "JetsamHummingbird", package: "swift-jetsam"),
                .product(name: "JetsamPrometheus", package: "swift-jetsam"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        case let name where name.hasPrefix("JetsamPrometheus"):
            [
                .product(name: "JetsamPrometheus", package: "swift-jetsam"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ]
        case let name where name.hasPrefix("JetsamNIO"):
            [
                .product(name: "JetsamNIO", package: "swift-jetsam"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        case "README2": [.product(name: "JetsamConfiguration", package: "swift-jetsam")]
        case "LinkingJemalloc": [.product(name: "JetsamJemalloc", package: "swift-jetsam")]
        case "LinkingTasks": [.product(name: "BackgroundTasks", package: "swift-jetsam")]
        case "LinkingCaches": [.product(name: "PurgeableCaches", package: "swift-jetsam")]
        case let name where name.hasPrefix("UIKit"): [.product(name: "JetsamUIKit", package: "swift-jetsam")]
        default: []
        }
    package.targets.append(
        .executableTarget(
            name: name,
            dependencies: products + [
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Examples/\(name)"
        ))
}
