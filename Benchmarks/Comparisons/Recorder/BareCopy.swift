import Glibc
import Synchronization

/// The least that a ring in memory can do: take the next place by an atomic addition, and copy what there is of a 256-byte slot.
@safe final class BareCopy: Contender, @unchecked Sendable {
    private let cursor = Atomic<UInt64>(0)
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: RingRecorder.slots * 256, alignment: 64)

    init() {
        unsafe memset(memory, 0, RingRecorder.slots * 256)
    }

    deinit { unsafe memory.deallocate() }

    func record(_ time: Int64, _ payload: UnsafeRawBufferPointer) {
        let number = cursor.wrappingAdd(1, ordering: .relaxed).newValue
        let slot = unsafe memory + Int(number % UInt64(RingRecorder.slots)) * 256
        unsafe slot.storeBytes(of: number, as: UInt64.self)
        unsafe slot.storeBytes(of: time, toByteOffset: 8, as: Int64.self)
        unsafe memcpy(slot + 32, payload.baseAddress!, payload.count)
    }

    func end() {}
}
