internal import JetsamSystem
internal import Synchronization

/// The samples of ``ReleaseGhosts``: hashes, how many bytes each stands for, and until when.
///
/// They lie in buckets of eight: first the hashes, which are looked at without the lock, then the rest. There are as many
/// buckets as are needed, up to a fixed number; beyond that it keeps every other of the samples, and so on.
@safe struct GhostSamples {
    /// The number of samples that there is room for.
    static let mostSamples = 2048
    private static let bucketSize = 8
    private static let fewestBuckets = 16
    private static let bucketBytes = 3 * bucketSize * 8
    private static let mostBytes = mostSamples / bucketSize * bucketBytes
    /// No sample stands for more bytes.
    private static let mostWeight = 1 << 50
    /// The low bits of an expiry say by how much the sample was thinned out.
    private static let shiftMask: Int64 = 63
    private static let mostShift: UInt8 = 31

    private let memory = SegmentMemory()
    /// Nil where there is no address space: then nothing is remembered.
    let base: UnsafeMutableRawPointer?
    private(set) var bucketMask = fewestBuckets - 1
    package private(set) var count = 0
    /// Of 2 to the power of it, one is kept.
    package private(set) var shift: UInt8 = 0
    /// The time when the last of them expires.
    private(set) var latestExpiry = Int64.min
    private var lastSweep = Int64.min

    init() {
        unsafe base = memory.map(memory.roundedUp(Self.mostBytes))
    }

    func deallocate() {
        if let base = unsafe base { unsafe memory.unmap(base, memory.roundedUp(Self.mostBytes)) }
    }

    /// Returns whether an entry with this upper half of a hash is kept.
    static func isSampled(_ high: UInt32, _ shift: UInt8) -> Bool {
        // A shard's entries have some bits in common.
        (high &* 0x9E37_79B1) >> (32 - UInt32(shift)) == 0
    }

    /// Returns the place of the hashes of a bucket.
    static func hashes(_ base: UnsafeMutableRawPointer, _ hash: UInt64, _ mask: Int) -> UnsafeMutablePointer<
        Atomic<UInt64>
    > {
        let bucket = Int(truncatingIfNeeded: hash) & mask
        return unsafe (base + bucket * bucketBytes).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// The place of a hash among those of its bucket. Without the lock it may err.
    static func index(of hash: UInt64, in hashes: UnsafeMutablePointer<Atomic<UInt64>>) -> Int? {
        for index in 0..<bucketSize where unsafe hashes[index].load(ordering: .relaxed) == hash { return index }
        return nil
    }

    /// Remembers an entry.
    ///
    /// - Parameters:
    ///   - hash: Not 0.
    ///   - bytes: The bytes that it took, times the number of entries that it stands for already.
    ///   - expiry: In nanoseconds of the monotonic clock; none is earlier than that of the entry before.
    mutating func add(_ hash: UInt64, bytes: Int, now: Int64, expiry: Int64) {
        guard let base = unsafe base else { return }
        if now >= lastSweep + (expiry - now) { sweep(now) }
        makeRoom(now)
        let high = UInt32(truncatingIfNeeded: hash >> 32)
        guard Self.isSampled(high, shift) else { return }
        var bucket = unsafe Self.hashes(base, hash, bucketMask)
        var index = unsafe Self.index(of: hash, in: bucket) ?? freest(bucket)
        // A bucket is full by chance while others are not: with more of them hardly any is.
        while !isLargest, unsafe isOther(bucket, index, than: hash), unsafe expiries(bucket)[index] >= now {
            grow()
            unsafe bucket = Self.hashes(base, hash, bucketMask)
            unsafe index = Self.index(of: hash, in: bucket) ?? freest(bucket)
        }
        if unsafe bucket[index].load(ordering: .relaxed) == 0 { count += 1 }
        unsafe bucket[index].store(hash, ordering: .relaxed)
        unsafe weights(bucket)[index] = Self.scaled(bytes, by: shift)
        unsafe expiries(bucket)[index] = expiry & ~Self.shiftMask | Int64(shift)
        latestExpiry = max(latestExpiry, expiry)
    }

    /// Returns the number of bytes that it stands for; 0 where it is not remembered. Forgets it.
    mutating func remove(_ hash: UInt64, now: Int64) -> Int {
        guard let base = unsafe base else { return 0 }
        let bucket = unsafe Self.hashes(base, hash, bucketMask)
        guard let index = unsafe Self.index(of: hash, in: bucket) else { return 0 }
        unsafe clear(bucket, index)
        return unsafe expiries(bucket)[index] & ~Self.shiftMask >= now ? weights(bucket)[index] : 0
    }

    /// Forgets all, and gives its memory back.
    mutating func removeAll() {
        // Memory that is locked does not go.
        if let base = unsafe base, count > 0, unsafe memory.discard(base, memory.roundedUp(Self.mostBytes)) == 0 {
            unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: Self.mostBytes)
        }
        count = 0
        shift = 0
        bucketMask = Self.fewestBuckets - 1
    }

    private static func scaled(_ bytes: Int, by shift: UInt8) -> Int {
        min(max(0, bytes), mostWeight >> Int(shift)) << Int(shift)
    }

    private func weights(_ bucket: UnsafeMutablePointer<Atomic<UInt64>>) -> UnsafeMutablePointer<Int> {
        unsafe UnsafeMutableRawPointer(bucket + Self.bucketSize).assumingMemoryBound(to: Int.self)
    }

    private func expiries(_ bucket: UnsafeMutablePointer<Atomic<UInt64>>) -> UnsafeMutablePointer<Int64> {
        unsafe UnsafeMutableRawPointer(bucket + 2 * Self.bucketSize).assumingMemoryBound(to: Int64.self)
    }

    private mutating func clear(_ bucket: UnsafeMutablePointer<Atomic<UInt64>>, _ index: Int) {
        unsafe bucket[index].store(0, ordering: .relaxed)
        count -= 1
    }

    private var isLargest: Bool { (bucketMask + 1) * Self.bucketSize == Self.mostSamples }

    /// Returns whether another hash has the place.
    private func isOther(_ bucket: UnsafeMutablePointer<Atomic<UInt64>>, _ index: Int, than hash: UInt64) -> Bool {
        let present = unsafe bucket[index].load(ordering: .relaxed)
        return present != 0 && present != hash
    }

    /// An empty place of a bucket, or the one that expires first.
    private func freest(_ bucket: UnsafeMutablePointer<Atomic<UInt64>>) -> Int {
        var first = 0
        for index in 0..<Self.bucketSize {
            if unsafe bucket[index].load(ordering: .relaxed) == 0 { return index }
            if unsafe expiries(bucket)[index] < expiries(bucket)[first] { first = index }
        }
        return first
    }
}

/// The work that is done now and then.
extension GhostSamples {
    /// Forgets what has expired, and keeps more of what comes where there is little.
    private mutating func sweep(_ now: Int64) {
        lastSweep = now
        if latestExpiry < now { return removeAll() }
        unsafe forEachPlace { samples, bucket, index in
            if unsafe samples.expiries(bucket)[index] < now { unsafe samples.clear(bucket, index) }
        }
        var expected = count
        while shift > 0, expected <= Self.mostSamples / 8 {
            shift -= 1
            expected *= 2
        }
    }

    /// Half of the places stay empty, so that hardly a bucket is full.
    private mutating func makeRoom(_ now: Int64) {
        guard count * 2 >= (bucketMask + 1) * Self.bucketSize else { return }
        guard isLargest else { return grow() }
        sweep(now)
        while count * 2 >= Self.mostSamples, shift < Self.mostShift { thinOut() }
    }

    /// Keeps every other sample, which stands for twice as many.
    private mutating func thinOut() {
        shift += 1
        unsafe forEachPlace { samples, bucket, index in
            let hash = unsafe bucket[index].load(ordering: .relaxed)
            let expiry = unsafe samples.expiries(bucket)[index]
            let own = UInt8(truncatingIfNeeded: expiry & Self.shiftMask)
            guard own < samples.shift else { return }
            guard Self.isSampled(UInt32(truncatingIfNeeded: hash >> 32), samples.shift) else {
                return unsafe samples.clear(bucket, index)
            }
            unsafe samples.weights(bucket)[index] = Self.scaled(samples.weights(bucket)[index], by: samples.shift - own)
            unsafe samples.expiries(bucket)[index] = expiry & ~Self.shiftMask | Int64(samples.shift)
        }
    }

    /// Doubles the buckets: what is in one belongs there or into one of the new ones.
    private mutating func grow() {
        guard let base = unsafe base else { return }
        let mask = bucketMask * 2 + 1
        for bucket in 0...bucketMask {
            let old = unsafe Self.hashes(base, UInt64(bucket), mask)
            for index in 0..<Self.bucketSize {
                let hash = unsafe old[index].load(ordering: .relaxed)
                let new = unsafe Self.hashes(base, hash, mask)
                guard hash != 0, unsafe new != old else { continue }
                unsafe weights(new)[index] = weights(old)[index]
                unsafe expiries(new)[index] = expiries(old)[index]
                unsafe new[index].store(hash, ordering: .relaxed)
                unsafe old[index].store(0, ordering: .relaxed)
            }
        }
        bucketMask = mask
    }

    private mutating func forEachPlace(
        _ body: (inout GhostSamples, UnsafeMutablePointer<Atomic<UInt64>>, Int) -> Void
    ) {
        guard let base = unsafe base else { return }
        for bucket in 0...bucketMask {
            let hashes = unsafe Self.hashes(base, UInt64(bucket), bucketMask)
            for index in 0..<Self.bucketSize where unsafe hashes[index].load(ordering: .relaxed) != 0 {
                unsafe body(&self, hashes, index)
            }
        }
    }
}
