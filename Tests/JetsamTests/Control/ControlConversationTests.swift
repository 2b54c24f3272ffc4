import MemoryPressure
import Testing

@testable import Jetsam

struct ControlConversationTests {
    private let start = MonotonicInstant.seconds(100)

    private func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

    @Test("A request that comes in pieces is carried out once it is complete, and its answer leaves in pieces")
    func pieces() {
        var conversation = ControlConversation(at: start)
        #expect(conversation.receive(Array("sta".utf8), at: start) == .wait)
        #expect(conversation.wantsInput)
        #expect(conversation.receive(Array("tus\nmore".utf8), at: start) == .perform(.status))
        #expect(!conversation.wantsInput)
        #expect(conversation.output.isEmpty)
        conversation.finish(Array("answer\n".utf8), at: start)
        #expect(text(conversation.output) == "answer\n")
        #expect(conversation.sent(3) == .wait)
        #expect(text(conversation.output) == "wer\n")
        #expect(conversation.sent(4) == .close)
    }

    @Test("A peer that leaves before its line is complete is let go without a word")
    func ends() {
        var conversation = ControlConversation(at: start)
        _ = conversation.receive(Array("stat".utf8), at: start)
        #expect(conversation.receive([], at: start) == .close)
    }

    @Test("A line that never ends is refused before it takes more memory than a request may")
    func endless() {
        var conversation = ControlConversation(at: start)
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
        for _ in 0..<4 { #expect(conversation.receive(piece, at: start) == .wait) }
        #expect(conversation.output.isEmpty)
        #expect(conversation.receive(piece, at: start) == .wait)
        #expect(text(conversation.output).contains(#""code":"tooLong""#))
        #expect(!conversation.wantsInput)
    }

    @Test("What cannot be understood is refused in one line of JSON")
    func badRequest() {
        var conversation = ControlConversation(at: start)
        #expect(conversation.receive(Array("hello\n".utf8), at: start) == .wait)
        #expect(text(conversation.output).hasPrefix(#"{"version":1,"error":{"code":"badRequest","message":""#))
        #expect(text(conversation.output).hasSuffix("\"}}\n"))
    }

    @Test("Whoever is late is told so once, and then let go")
    func late() {
        var conversation = ControlConversation(at: start)
        #expect(conversation.expire(at: start.advanced(by: .seconds(1.9))) == .wait)
        #expect(conversation.output.isEmpty)
        #expect(conversation.expire(at: start.advanced(by: .seconds(2))) == .wait)
        #expect(text(conversation.output).contains(#""code":"late""#))
        #expect(conversation.deadline == start.advanced(by: .seconds(7)))
        #expect(conversation.expire(at: start.advanced(by: .seconds(7))) == .close)
    }

    @Test("What takes too long is answered for, and a result that comes later changes nothing")
    func slow() {
        var conversation = ControlConversation(at: start)
        #expect(conversation.receive(Array("release all\n".utf8), at: start) == .perform(.release(bytes: nil)))
        #expect(conversation.expire(at: start.advanced(by: .seconds(30))) == .wait)
        let refusal = text(conversation.output)
        #expect(refusal.contains(#""code":"slow""#))
        conversation.finish(Array("late answer\n".utf8), at: start.advanced(by: .seconds(31)))
        #expect(text(conversation.output) == refusal)
    }

    @Test(
        "The user of the process and root are let in; who has no number here never is",
        arguments: [
            (1000, 1000, true), (0, 1000, true), (1001, 1000, false), (65534, 1000, false), (65534, 65534, false),
            (0, 65534, true), (0, 0, true), (1000, 0, false),
        ] as [(UInt32, UInt32, Bool)])
    func gate(user: UInt32, owner: UInt32, isAdmitted: Bool) {
        #expect(ControlGate(owner: owner).admits(user) == isAdmitted)
    }

    @Test("The number of users without one is the kernel's, where that is another")
    func unmapped() {
        #expect(!ControlGate(owner: 7, unmapped: 7).admits(7))
        #expect(ControlGate.unmappedUser(in: KernelRoot(path: "/nowhere")) == 65534)
    }
}
