// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    // The package manager drops this line where Jetsam is somebody's dependency.
    .treatAllWarnings(as: .error),
]

// tools/test has this optimised and nothing else: what the tests and the made-up worlds of Tests/Simulation spend their time in.
let optimised: [SwiftSetting] =
    Context.environment["JETSAM_OPTIMISED"] == nil
    ? [] : [.unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"])]

// Hummingbird stands on SwiftNIO. The tests are built with its trait alone: with two, the package manager passes them to the compiler in
// an order that changes from plan to plan, and a new order means that everything is compiled again.
let onNIO: Set = ["NIO", "Hummingbird"]

let package = Package(
    name: "swift-jetsam",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Jetsam", targets: ["Jetsam"]),
        .library(name: "BackgroundTasks", targets: ["BackgroundTasks"]),
        .library(name: "PurgeableCaches", targets: ["PurgeableCaches"]),
        .library(name: "MemoryPressure", targets: ["MemoryPressure"]),
        .library(name: "JetsamConfiguration", targets: ["JetsamConfiguration"]),
        .library(name: "JetsamJemalloc", targets: ["JetsamJemalloc"]),
        .library(name: "JetsamPrometheus", targets: ["JetsamPrometheus"]),
        .library(name: "JetsamTesting", targets: ["JetsamTesting"]),
        .library(name: "JetsamHummingbird", targets: ["JetsamHummingbird"]),
        .library(name: "JetsamNIO", targets: ["JetsamNIO"]),
        .library(name: "JetsamGRPC", targets: ["JetsamGRPC"]),
        .library(name: "JetsamGRDB", targets: ["JetsamGRDB"]),
        // Not of the module's name: a product's name is shared with all packages of a build.
        .library(name: "JetsamUIKit", targets: ["UIKit"]),
        .executable(name: "jetsam", targets: ["jetsam"]),
        .executable(name: "jetsam-stress", targets: ["jetsam-stress"]),
        // No API: what the packages in tools/ take from this one. It changes without notice.
        .library(name: "_StressPatterns", targets: ["_StressPatterns"]),
    ],
    traits: [
        .default(enabledTraits: []),
        .trait(name: "Hummingbird", description: "JetsamHummingbird, for servers on Hummingbird 2, and JetsamNIO"),
        .trait(name: "NIO", description: "JetsamNIO, for servers on SwiftNIO itself"),
        .trait(name: "GRPC", description: "JetsamGRPC, for servers on grpc-swift 2"),
        .trait(name: "GRDB", description: "JetsamGRDB, for SQLite databases by GRDB"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: [.defaults, "YAML"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
        // Those of a trait: nobody resolves them who does not enable it.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.42.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.0"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
    ],
    targets: [
        .target(name: "CLinuxShims"),
        .systemLibrary(name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),
        // What the others stand on: system calls, memory, threads and time. For this package alone, but for the clock.
        .target(
            name: "JetsamSystem",
            dependencies: [
                "CLinuxShims",
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings + optimised
        ),
        .target(
            name: "MemoryPressure",
            dependencies: ["CLinuxShims", "JetsamSystem", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: settings + optimised
        ),
        .target(
            name: "BackgroundTasks",
            dependencies: [
                "CLinuxShims", "JetsamSystem",
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings + optimised
        ),
        .target(
            name: "PurgeableCaches",
            dependencies: [
                "CLinuxShims", "JetsamSystem", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings + optimised
        ),
        // What is decided: no input or output, no lock, no clock.
        .target(
            name: "JetsamPolicy",
            dependencies: [
                "BackgroundTasks", "JetsamSystem", "MemoryPressure", "PurgeableCaches",
            ],
            swiftSettings: settings + optimised
        ),
        .target(
            name: "Jetsam",
            dependencies: [
                "BackgroundTasks", "CLinuxShims", "JetsamPolicy", "JetsamSystem", "MemoryPressure", "PurgeableCaches",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings + optimised
        ),
        // For the tools: reads traces, and repeats what was decided or decides anew.
        .target(
            name: "JetsamTrace",
            dependencies: [
                "Jetsam", "JetsamPolicy", "JetsamSystem", "MemoryPressure",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings + optimised
        ),
        .target(name: "JetsamJemalloc", dependencies: ["CJemalloc", "Jetsam"], swiftSettings: settings),
        .target(
            name: "JetsamPrometheus",
            dependencies: ["Jetsam", "JetsamSystem", .product(name: "CoreMetrics", package: "swift-metrics")],
            swiftSettings: settings + optimised
        ),
        // Empty without its trait.
        .target(
            name: "JetsamHummingbird",
            dependencies: [
                "Jetsam",
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Hummingbird"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Hummingbird"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Hummingbird"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        // The same.
        .target(
            name: "JetsamNIO",
            dependencies: [
                "Jetsam",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: onNIO)),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: onNIO)),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "JetsamTesting",
            dependencies: [
                "Jetsam", "MemoryPressure", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings + optimised
        ),
        // Reads formats, and with them needs Foundation.
        .target(
            name: "JetsamConfiguration",
            dependencies: [
                "Jetsam", "JetsamSystem", "MemoryPressure",
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings
        ),
        // Empty without its trait, as are the next and their tests.
        .target(
            name: "JetsamGRPC",
            dependencies: [
                "Jetsam",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
                .product(
                    name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport",
                    condition: .when(traits: ["GRPC"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["GRPC"])),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: .when(traits: ["GRPC"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["GRPC"])),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "JetsamGRDB",
            dependencies: [
                "Jetsam",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["GRDB"])),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: .when(traits: ["GRDB"])),
            ],
            swiftSettings: settings
        ),
        // Empty: the compiler looks for it where a file imports Testing and UIKit.
        .target(name: "_Testing_UIKit", swiftSettings: settings),
        // Apple's names on Linux, for sources of iOS applications; empty elsewhere. Needs Foundation, which such sources use.
        .target(
            name: "UIKit",
            dependencies: [
                "BackgroundTasks", "Jetsam", "JetsamSystem", "MemoryPressure", "PurgeableCaches",
                .target(name: "_Testing_UIKit", condition: .when(platforms: [.linux])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "CommandOutput",
            dependencies: ["MemoryPressure", .product(name: "SystemPackage", package: "swift-system")],
            path: "tools/output",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "jetsam",
            dependencies: [
                "CommandOutput", "Jetsam", "JetsamConfiguration", "JetsamTrace", "MemoryPressure",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "tools/jetsam",
            exclude: ["jetsam.1"],
            swiftSettings: settings
        ),
        .target(name: "CStressProcesses", path: "tools/stress-processes"),
        .target(
            name: "_StressPatterns",
            dependencies: [
                "CLinuxShims", "CommandOutput", "CStressProcesses", "MemoryPressure",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "tools/stress-patterns",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "jetsam-stress",
            dependencies: [
                "CLinuxShims", "CommandOutput", "Jetsam", "JetsamTrace", "MemoryPressure", "_StressPatterns",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "tools/jetsam-stress",
            swiftSettings: settings
        ),
        // A manager's hours in a made-up world, thousands of them: `tools/simulate`.
        .target(
            name: "JetsamSimulation",
            dependencies: [
                "CLinuxShims", "Jetsam", "JetsamConfiguration", "JetsamTesting", "MemoryPressure",
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/Simulation",
            exclude: ["Baseline.txt"],
            swiftSettings: settings + optimised
        ),
        // Support for tests: waiting for other threads, children in cgroups, and jemalloc's count of what a thread allocates.
        .target(name: "CTestProcesses", path: "Tests/CTestProcesses"),
        .target(
            name: "TestSupport", dependencies: ["JetsamPolicy"], path: "Tests/TestSupport", swiftSettings: settings),
        .target(name: "AllocationCounter", dependencies: ["CJemalloc"], path: "Tests/AllocationCounter"),
        // What tests run with allocators preloaded, and tools/support/measure-allocators makes a table of.
        .executableTarget(
            name: "allocator-probe", dependencies: ["Jetsam", "JetsamSystem"], path: "Tests/AllocatorProbe",
            swiftSettings: settings),
        .testTarget(
            name: "JetsamSystemTests",
            dependencies: [
                "CLinuxShims", "JetsamSystem", "JetsamTesting",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MemoryPressureTests",
            dependencies: [
                "AllocationCounter", "CLinuxShims", "CTestProcesses", "MemoryPressure", "JetsamTesting",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "JetsamTests",
            dependencies: [
                "AllocationCounter", "BackgroundTasks", "CLinuxShims", "CTestProcesses", "Jetsam", "JetsamJemalloc",
                "JetsamPolicy", "JetsamSimulation", "JetsamSystem", "JetsamTesting", "JetsamTrace", "MemoryPressure",
                "PurgeableCaches", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "JetsamPrometheusTests",
            dependencies: [
                "Jetsam", "JetsamPrometheus", "JetsamTesting",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "JetsamHummingbirdTests",
            dependencies: [
                "Jetsam", "JetsamHummingbird", "JetsamSystem", "JetsamTesting",
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Hummingbird"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Hummingbird"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Hummingbird"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Hummingbird"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Hummingbird"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "JetsamNIOTests",
            dependencies: [
                "Jetsam", "JetsamNIO", "JetsamTesting", "TestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: onNIO)),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: onNIO)),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: onNIO)),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        // What the page on testing shows.
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "Jetsam", "JetsamTesting", "MemoryPressure", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "JetsamConfigurationTests",
            dependencies: [
                "Jetsam", "JetsamConfiguration", "JetsamTesting", "MemoryPressure", "TestSupport",
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "JetsamGRPCTests",
            dependencies: [
                "Jetsam", "JetsamGRPC", "JetsamTesting", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
                .product(
                    name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport",
                    condition: .when(traits: ["GRPC"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["GRPC"])),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["GRPC"])),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: .when(traits: ["GRPC"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["GRPC"])),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "JetsamGRDBTests",
            dependencies: [
                "Jetsam", "JetsamGRDB", "JetsamTesting", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["GRDB"])),
            ],
            swiftSettings: settings
        ),
        // Applications as they are for a phone, which have to compile unchanged: without the settings of this package's own code.
        .executableTarget(
            name: "UIKitApp5",
            dependencies: ["Jetsam", "UIKit", .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")],
            path: "Tests/UIKitApps/Swift5", swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .executableTarget(
            name: "UIKitApp6",
            dependencies: [
                "Jetsam", "UIKit", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/UIKitApps/Swift6", swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        // More shapes of such sources, for the compiler and a few tests.
        .target(
            name: "UIKitShapes5", dependencies: ["UIKit"], path: "Tests/UIKitApps/Shapes5",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "UIKitShapes6", dependencies: ["UIKit"], path: "Tests/UIKitApps/Shapes6",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "UIKitTests",
            dependencies: [
                "BackgroundTasks", "Jetsam", "JetsamSystem", "JetsamTesting", "MemoryPressure", "PurgeableCaches",
                "TestSupport",
                "UIKit", "UIKitApp5", "UIKitApp6", "UIKitShapes5", "UIKitShapes6",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ToolTests",
            dependencies: [
                "allocator-probe", "CommandOutput", "Jetsam", "jetsam", "jetsam-stress", "JetsamConfiguration",
                "JetsamTrace", "MemoryPressure", "JetsamTesting", "TestSupport", "_StressPatterns",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
    ]
)

// Apple's own module takes their place elsewhere, and has other needs.
#if !os(Linux)
    package.targets.removeAll {
        ["UIKitApp5", "UIKitApp6", "UIKitShapes5", "UIKitShapes6", "UIKitTests"].contains($0.name)
    }
#endif

// Only for tools/simulate, which builds its program where the demo server is built: the library is optimised there already.
if Context.environment["JETSAM_SIMULATION"] != nil {
    package.products.append(.library(name: "JetsamSimulation", targets: ["JetsamSimulation"]))
}

// tools/test-slow builds the tests of some products alone, in a folder of their own: those named here, between commas.
if let names = Context.environment["JETSAM_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// The readers under a coverage-guided fuzzer: its executable has libFuzzer's `main`, which only `tools/fuzz` asks for.
if Context.environment["JETSAM_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "jetsam-fuzz", dependencies: ["Jetsam", "JetsamConfiguration", "JetsamTrace", "MemoryPressure"],
            path: "Tests/Fuzz",
            exclude: ["Corpus"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}
