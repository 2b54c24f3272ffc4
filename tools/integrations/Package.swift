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

// A package of its own that uses the products of traits as a user's would: the programs of `tools/prove gate-grpc` and
// `gate-nio`, and the examples of the pages of JetsamGRPC and JetsamGRDB.
let package = Package(
    name: "integrations",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-jetsam", path: "../..", traits: ["GRPC", "GRDB", "NIO"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.42.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.0"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
    ],
    targets: [
        .executableTarget(
            name: "gate-grpc",
            dependencies: [
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "JetsamGRPC", package: "swift-jetsam"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/GateGRPC",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "gate-nio",
            dependencies: [
                .product(name: "JetsamNIO", package: "swift-jetsam"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/GateNIO",
            swiftSettings: settings
        ),
    ]
)

// As tools/support/check-examples takes them from the pages.
for name in (Context.environment["JETSAM_EXAMPLES"] ?? "").split(separator: " ").map(String.init) {
    package.targets.append(
        .executableTarget(
            name: name,
            dependencies: [
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "JetsamGRDB", package: "swift-jetsam"),
                .product(name: "JetsamGRPC", package: "swift-jetsam"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Examples/\(name)"
        ))
}
