import Jetsam
import JetsamTesting
import MemoryPressure
import Testing

@testable import _StressPatterns
@testable import jetsam_stress

@Suite struct ServeLedgerTests {
    private let clock = ManualClock()
    private let tree: KernelTree
    private let ledger: ServeLedger
    private static let mebibyte = 1 << 20

    init() throws {
        clock.advance(by: .seconds(100))
        tree = try KernelTree.v2(limit: 1000 * Self.mebibyte)
        ledger = try ServeLedger(keys: 100, valueBytes: Self.mebibyte, clock: clock, root: tree.root)
    }

    /// Looks at the memory a second later.
    private func look(usedMiB: Int, cacheMiB: Int, after time: Duration = .seconds(1)) {
        clock.advance(by: time)
        tree.setUnreclaimable(bytes: usedMiB * Self.mebibyte)
        ledger.look(cacheBytes: cacheMiB * Self.mebibyte)
    }

    private func store(_ keys: Range<Int>) {
        for key in keys { ledger.store(key, at: clock.now) }
    }

    @Test("Without a release nothing is counted, and the headroom is followed")
    func nothing() {
        store(0..<50)
        look(usedMiB: 700, cacheMiB: 50)
        look(usedMiB: 900, cacheMiB: 50)
        store(0..<50)
        look(usedMiB: 800, cacheMiB: 50)
        let summary = ledger.summary
        #expect(summary.figures == ReleaseAccount.Figures())
        #expect(summary.firstHeadroomBytes == 300 * Self.mebibyte && summary.leastHeadroomBytes == 100 * Self.mebibyte)
    }

    @Test("What was stored before a release and is made again within ten seconds was fetched again, once")
    func refetched() {
        store(0..<40)
        look(usedMiB: 850, cacheMiB: 300)
        look(usedMiB: 700, cacheMiB: 150)
        ledger.release(bytes: 150 * Self.mebibyte, took: .milliseconds(500))
        clock.advance(by: .seconds(1))
        // Ten that were there, ten that never were, and the first ten again.
        store(0..<10)
        store(60..<70)
        store(0..<10)
        look(usedMiB: 720, cacheMiB: 170)
        var figures = ledger.summary.figures
        #expect(figures.refetchedBytes == 10 * Self.mebibyte && figures.releasedBytes == 150 * Self.mebibyte)
        // 20 % of the limit is to be free, and 15 % were.
        #expect(figures.neededBytes == 50 * Self.mebibyte)
        #expect(figures.wastedBytes == 10 * Self.mebibyte)
        clock.advance(by: .seconds(10))
        store(10..<20)
        look(usedMiB: 720, cacheMiB: 170)
        figures = ledger.summary.figures
        #expect(figures.refetchedBytes == 10 * Self.mebibyte && figures.episodes == 1)
    }

    @Test("What was made again while the release was under way counts too, and what was before does not")
    func during() {
        store(0..<40)
        look(usedMiB: 850, cacheMiB: 300)
        store(0..<5)
        clock.advance(by: .seconds(1))
        // Half of the release has been: what is looked at now says nothing.
        store(10..<17)
        look(usedMiB: 990, cacheMiB: 200, after: .milliseconds(100))
        look(usedMiB: 600, cacheMiB: 50, after: .milliseconds(100))
        ledger.release(bytes: 250 * Self.mebibyte, took: .milliseconds(300))
        look(usedMiB: 600, cacheMiB: 50)
        let figures = ledger.summary.figures
        #expect(figures.refetchedBytes == 7 * Self.mebibyte)
        #expect(figures.neededBytes == 50 * Self.mebibyte)
    }

    @Test("A release for memory.high was needed, though the hard limit is far")
    func underHigh() {
        tree.setHigh(bytes: 500 * Self.mebibyte)
        look(usedMiB: 450, cacheMiB: 200)
        look(usedMiB: 380, cacheMiB: 130)
        ledger.release(bytes: 70 * Self.mebibyte, took: .milliseconds(500))
        look(usedMiB: 380, cacheMiB: 130)
        let figures = ledger.summary.figures
        // 20 % of memory.high are to be free, and 10 % were.
        #expect(figures.neededBytes == 50 * Self.mebibyte && figures.releasedBytes == 70 * Self.mebibyte)
    }
}
