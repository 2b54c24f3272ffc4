import JetsamSystem
import Synchronization
import SystemPackage
import Testing

@testable import Jetsam
@testable import PurgeableCaches

/// What code that is inlined elsewhere, or written in C, finds by its place in memory.
struct ByteLayoutTests {
    @Test(
        "Huge pages are asked for where the kernel allows them, in a size that can be",
        arguments: [
            ("always [madvise] never", "2097152\n", 2 << 20), ("[always] madvise never", "4096\n", 4096),
            ("always madvise [never]", "2097152\n", nil), ("always [madvise] never", "3000000\n", nil),
            ("always [madvise] never", "many\n", nil),
        ] as [(String, String, Int?)])
    func hugePages(enabled: String, size: String, bytes: Int?) throws {
        let root = try Syscalls.makeTemporaryDirectory("\(ThisProcess.variable("TMPDIR") ?? "/tmp")/jetsam-huge-")
        var folders = [root]
        for name in ["sys", "kernel", "mm", "transparent_hugepage"] {
            folders.append("\(folders.last!)/\(name)")
            try Syscalls.makeDirectory(folders.last!, mode: .ownerReadWriteExecute)
        }
        let files = ["enabled": enabled, "hpage_pmd_size": size]
        defer {
            for name in files.keys { try? Syscalls.removeFile("\(folders.last!)/\(name)") }
            for folder in folders.reversed() { try? Syscalls.removeDirectory(folder) }
        }
        #expect(HugePages.whereAllowed.bytes(in: root) == nil)
        for (name, text) in files {
            let file = try Syscalls.openToWrite("\(folders.last!)/\(name)", mode: .ownerReadWrite)
            defer { Syscalls.close(file) }
            _ = try Syscalls.pwrite(file, Array(text.utf8)[...], at: 0)
        }
        #expect(HugePages.whereAllowed.bytes(in: root) == bytes)
        #expect(HugePages.never.bytes(in: root) == nil)
    }

    @Test("A reader finds lock, index and its size in a stripe of a cache of values")
    func cacheStripe() {
        let slots = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
        let pieces = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: 1)
        let stripe = UnsafeMutablePointer<CacheStripe>.allocate(capacity: 1)
        defer {
            unsafe stripe.deallocate()
            unsafe pieces.deallocate()
            unsafe slots.deallocate()
        }
        unsafe stripe.initialize(to: CacheStripe(slots, pieces, pieces))
        unsafe stripe.pointee.slotCount = 77
        let (index, count) = unsafe CacheStripe.table(stripe)
        #expect(unsafe index.pointee == slots && count.pointee == 77)
        let lock = unsafe UnsafeMutableRawPointer(CacheStripe.word(stripe)) - UnsafeMutableRawPointer(stripe)
        #expect(lock == MemoryLayout<CacheStripe>.offset(of: \.word))
        // Two stripes share no cache line.
        #expect(MemoryLayout<CacheStripe>.stride == 64)
    }

    @Test("A lease finds where its segment's record says that it is deferred")
    func deferred() {
        let record = UnsafeMutablePointer<SegmentRecord>.allocate(capacity: 1)
        unsafe record.initialize(
            to: SegmentRecord(base: UnsafeMutableRawPointer(record), hasHugePages: false, shard: 0))
        let lease = unsafe ByteLease(value: UnsafeMutableRawPointer(record), count: 0, record: record, pin: nil)
        let before = unsafe lease.isDeferred.pointee
        unsafe record.pointee.isDeferred.store(true, ordering: .relaxed)
        let after = unsafe lease.isDeferred.pointee
        unsafe record.deinitialize(count: 1)
        unsafe record.deallocate()
        #expect(!before)
        #expect(after)
        #expect(MemoryLayout<SegmentRecord>.size == 64)
    }

    @Test("The first pin of a stripe is found where it stands")
    func pin() {
        let cache = makeByteCache()
        let stripe = unsafe [UInt8(1)].withUnsafeBytes { unsafe cache.stripes.stripe(ByteHash($0, cache.seeds)) }
        unsafe stripe.pointee.pin.store(7, ordering: .relaxed)
        let found = unsafe ByteStripe.pin(0, stripe).pointee.load(ordering: .relaxed)
        unsafe ByteStripe.pin(0, stripe).pointee.store(0, ordering: .relaxed)
        let left = unsafe stripe.pointee.pin.load(ordering: .relaxed)
        #expect(found == 7)
        #expect(left == 0)
        #expect(MemoryLayout<ByteStripe>.size <= ByteStripe.byteCount / 2)
    }
}
