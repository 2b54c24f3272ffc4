import SystemPackage
import Testing

@testable import JetsamConfiguration

struct FileWatchTests {
    private static func bytes(_ text: String) -> Result<[UInt8], BoundedFile.Failure> { .success(Array(text.utf8)) }

    @Test("A change is taken when two looks found the same, and once")
    func twice() {
        var watch = FileWatch(taken: Array("a".utf8))
        #expect(watch.look(Self.bytes("a"), isAsked: false) == .nothing)
        #expect(watch.look(Self.bytes("b"), isAsked: false) == .nothing)
        #expect(watch.look(Self.bytes("bc"), isAsked: false) == .nothing)
        #expect(watch.look(Self.bytes("bc"), isAsked: false) == .take(Array("bc".utf8)))
        #expect(watch.look(Self.bytes("bc"), isAsked: false) == .nothing)
        #expect(watch.look(Self.bytes("bc"), isAsked: true) == .nothing)
    }

    @Test("A change that is taken back is none")
    func back() {
        var watch = FileWatch(taken: Array("a".utf8))
        #expect(watch.look(Self.bytes("b"), isAsked: false) == .nothing)
        #expect(watch.look(Self.bytes("a"), isAsked: false) == .nothing)
        #expect(watch.look(Self.bytes("b"), isAsked: false) == .nothing)
    }

    @Test("Who asks says that the file is complete")
    func asked() {
        var watch = FileWatch(taken: Array("a".utf8))
        #expect(watch.look(Self.bytes("b"), isAsked: true) == .take(Array("b".utf8)))
    }

    @Test("That it cannot be read is told once, and to each who asks")
    func unreadable() {
        var watch = FileWatch(taken: Array("a".utf8))
        let gone = Result<[UInt8], BoundedFile.Failure>.failure(.system(.noSuchFileOrDirectory))
        #expect(watch.look(gone, isAsked: false) == .cannotRead(.system(.noSuchFileOrDirectory)))
        #expect(watch.look(gone, isAsked: false) == .nothing)
        #expect(watch.look(gone, isAsked: true) == .cannotRead(.system(.noSuchFileOrDirectory)))
        #expect(watch.look(Self.bytes("a"), isAsked: false) == .nothing)
        #expect(watch.look(gone, isAsked: false) == .cannotRead(.system(.noSuchFileOrDirectory)))
    }
}
