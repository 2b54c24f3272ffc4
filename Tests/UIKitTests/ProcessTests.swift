import Foundation
import TestSupport
import Testing

extension ApplicationTests {
    /// The applications as programs of their own, on this machine.
    @Suite(.serialized) struct Programs {
        @Test(
            "A program runs from @main until SIGTERM, and ends in order with status 0",
            arguments: ["UIKitApp5", "UIKitApp6"])
        func terminates(program: String) async throws {
            let child = try Child(program)
            defer { child.end() }
            let active = program == "UIKitApp5" ? "scene active" : "default active"
            try await eventually("it serves") { child.lines.contains(active) }
            child.terminate()
            try await eventually("it has ended") { child.status != nil }
            #expect(child.status == 0)
            #expect(program != "UIKitApp5" || child.lines.first == "init, main thread true")
            let ends = [
                "didBecomeActive active", "willResignActive active", "didEnterBackground background", "upload done",
            ]
            let places = try (ends + ["willTerminate background"]).map {
                try #require(child.lines.firstIndex(of: $0), "\($0)")
            }
            #expect(places == places.sorted())
        }

        @Test("A program whose work blocks every thread of the global queues ends in order all the same")
        func blocked() async throws {
            let child = try Child("UIKitApp5", "--blocks-queues")
            defer { child.end() }
            try await eventually("it serves") { child.lines.contains("scene active") }
            child.terminate()
            try await eventually("it has ended") { child.status != nil }
            #expect(child.status == 0)
            #expect(child.lines.contains("didEnterBackground background"))
            #expect(child.lines.contains("willTerminate background"))
        }

        @Test("Two requests of a server run at once, although each keeps its thread")
        func requests() async throws {
            let child = try Child("UIKitApp5", "--meets")
            defer { child.end() }
            try await eventually("they have met") { child.lines.contains("two requests met") }
            child.terminate()
            try await eventually("it has ended") { child.status != nil }
            #expect(child.status == 0)
        }

        @Test("A cache of a real program is emptied when its manager asks for everything")
        func memory() async throws {
            let child = try Child("UIKitApp5", "--short-of-memory")
            defer { child.end() }
            try await eventually("it gives") { child.lines.contains("pictures lets 1048576 bytes go") }
            try await eventually("it is warned") { child.lines.contains("memoryWarning") }
            child.terminate()
            try await eventually("it has ended") { child.status != nil }
            #expect(child.status == 0)
        }
    }
}

/// A program of this build, and what it has written.
private final class Child: @unchecked Sendable {
    private let process = Process()
    private let output = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString)")

    init(_ program: String, _ arguments: String...) throws {
        // The tests' own program lies beside it.
        let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = folder.appending(path: program)
        process.arguments = arguments
        try Data().write(to: output)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            try? FileManager.default.removeItem(at: output)
            throw error
        }
    }

    var lines: [String] {
        // Foundation leaks a page each time that it reads an empty file by its name.
        guard let file = try? FileHandle(forReadingFrom: output) else { return [] }
        defer { try? file.close() }
        let bytes = (try? file.readToEnd()) ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Nil while it runs.
    var status: Int32? { process.isRunning ? nil : process.terminationStatus }

    func terminate() {
        process.terminate()
    }

    /// Ends it where it still runs.
    func end() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: output)
    }
}
