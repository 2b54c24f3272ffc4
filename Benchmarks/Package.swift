// swift-tools-version: 6.2
import PackageDescription

/// The checkout's folder gives the package its identity, and so the name under which its `package` symbols can be used.
let identity = Context.packageDirectory.split(separator: "/").dropLast().last.map(String.init) ?? "swift-jetsam"
let packageName = String(identity.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    // The lock, and more that is measured here, is for our own targets only.
    .unsafeFlags(["-package-name", packageName]),
]

func suite(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name,
        dependencies: [.product(name: "Benchmark", package: "benchmark")] + dependencies,
        path: "Benchmarks/\(name)",
        // Off, so that the name in the settings is the one that holds.
        packageAccess: false,
        swiftSettings: settings,
        plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
    )
}

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "Caches", targets: ["Caches"]),
        .executable(name: "Compare", targets: ["Compare"]),
        .executable(name: "LockHolds", targets: ["LockHolds"]),
        .executable(name: "Reclaim", targets: ["Reclaim"]),
        .executable(name: "Recorder", targets: ["Recorder"]),
        .executable(name: "Tasks", targets: ["Tasks"]),
        // To be preloaded.
        .library(name: "AllocationCount", type: .dynamic, targets: ["AllocationCount"]),
    ],
    dependencies: [
        .package(name: "swift-jetsam", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        // Its traits count allocations by replacing malloc, which is what JetsamJemalloc does too.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        suite("Locks", [.product(name: "MemoryPressure", package: "swift-jetsam")]),
        suite(
            "Manager",
            [
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "MemoryPressure", package: "swift-jetsam"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        suite("Readings", [.product(name: "MemoryPressure", package: "swift-jetsam")]),
        // Figures of whole processes, beside what others do: nothing that the benchmark package could take.
        .executableTarget(
            name: "Tasks",
            dependencies: [
                "ComparisonSupport",
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Comparisons/Tasks",
            packageAccess: false,
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Caches",
            dependencies: [
                "CachePolicies", "CacheStalls", "ComparisonSupport", .product(name: "Jetsam", package: "swift-jetsam"),
            ],
            path: "Comparisons/Caches",
            packageAccess: false,
            swiftSettings: settings
        ),
        .target(
            name: "CacheStalls",
            dependencies: ["ComparisonSupport", .product(name: "PurgeableCaches", package: "swift-jetsam")],
            path: "Comparisons/CacheStalls",
            packageAccess: false,
            swiftSettings: settings
        ),
        .executableTarget(
            name: "LockHolds",
            dependencies: ["CacheStalls", "ComparisonSupport", "LockHoldClock"],
            path: "Comparisons/LockHolds",
            packageAccess: false,
            swiftSettings: settings
        ),
        .target(
            name: "CachePolicies",
            dependencies: ["ComparisonSupport"],
            path: "Comparisons/CachePolicies",
            packageAccess: false,
            swiftSettings: settings
        ),
        .testTarget(
            name: "CachePoliciesTests",
            dependencies: ["CachePolicies", "ComparisonSupport"],
            packageAccess: false,
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Reclaim",
            dependencies: [
                "ComparisonSupport",
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Comparisons/Reclaim",
            packageAccess: false,
            swiftSettings: settings
        ),
        // Starts the programs above in turn, and compares their figures.
        .executableTarget(
            name: "Compare",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Comparisons/Compare",
            packageAccess: false,
            swiftSettings: settings
        ),
        .testTarget(name: "CompareTests", dependencies: ["Compare"], packageAccess: false, swiftSettings: settings),
        .executableTarget(
            name: "Recorder",
            dependencies: [
                "ComparisonSupport",
                .product(name: "Jetsam", package: "swift-jetsam"),
                .product(name: "MemoryPressure", package: "swift-jetsam"),
            ],
            path: "Comparisons/Recorder",
            packageAccess: false,
            swiftSettings: settings
        ),
        .target(
            name: "ComparisonSupport", path: "Comparisons/Support", packageAccess: false, swiftSettings: settings),
        .target(name: "AllocationCount", path: "Comparisons/AllocationCount"),
        .target(name: "LockHoldClock", path: "Comparisons/LockHoldClock"),
    ]
)
