// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that who uses Jetsam does not fetch gRPC with it. `tools/test-slow` builds it.
let package = Package(
    name: "BesideGRPC",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-jetsam", path: "../.."),
        .package(url: "https://github.com/grpc/grpc-swift-2.git", from: "2.0.0"),
    ],
    targets: [
        .target(
            name: "BesideGRPC",
            dependencies: [
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ]
)
