import Glibc

/// Nanoseconds of CLOCK_MONOTONIC.
package func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Nanoseconds of CPU time that all threads of this process have used, in the kernel too.
package func processCPUNanoseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

package func pause(nanoseconds: Int64) {
    let end = monotonicNanoseconds() + nanoseconds
    var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
}

/// Resident bytes of this process, after glibc has given back what is free in it: what it keeps of that says nothing of
/// who had used it.
package func residentBytesAfterTrim() -> Int {
    if let trim = unsafe dlsym(nil, "malloc_trim") {
        typealias Trim = @convention(c) (Int) -> Int32
        _ = unsafe unsafeBitCast(trim, to: Trim.self)(0)
    }
    return residentBytes()
}

/// Resident bytes of this process as they are.
package func residentBytes() -> Int {
    guard let file = unsafe fopen("/proc/self/statm", "r") else { stop("/proc/self/statm cannot be read") }
    defer { unsafe _ = fclose(file) }
    var text = [CChar](repeating: 0, count: 128)
    guard unsafe fgets(&text, 128, file) != nil else { stop("/proc/self/statm is empty") }
    let fields = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split(separator: UInt8(ascii: " "))
    guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else {
        stop("/proc/self/statm cannot be understood")
    }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// Allocations of the whole process so far; nil where the library that counts them is not preloaded.
package func allocations() -> Int? {
    guard let count = unsafe dlsym(nil, "jetsam_benchmark_allocations") else { return nil }
    typealias Count = @convention(c) () -> Int64
    return unsafe Int(unsafeBitCast(count, to: Count.self)())
}

/// Keeps the calling thread on one of the processors that the process may use: the one with that number among them, round and
/// round.
private func keepOnProcessor(_ number: Int) {
    // Glibc's module leaves out what only Linux has.
    typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32
    guard let get = unsafe dlsym(nil, "sched_getaffinity"), let set = unsafe dlsym(nil, "sched_setaffinity") else {
        stop("the C library cannot keep a thread on a processor")
    }
    var processors = [UInt8](repeating: 0, count: 128)
    guard unsafe unsafeBitCast(get, to: Affinity.self)(0, processors.count, &processors) == 0 else {
        stop("the processors cannot be told")
    }
    let allowed = (0..<processors.count * 8).filter { processors[$0 / 8] & 1 << ($0 % 8) != 0 }
    let processor = allowed[number % allowed.count]
    for index in processors.indices { processors[index] = 0 }
    processors[processor / 8] = 1 << (processor % 8)
    guard unsafe unsafeBitCast(set, to: Affinity.self)(0, processors.count, &processors) == 0 else {
        stop("a thread cannot be kept on a processor")
    }
}

/// Says what went wrong and ends the process.
package func stop(_ message: String) -> Never {
    let line = Array("error: \(message)\n".utf8)
    unsafe _ = line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    _exit(1)
}

/// Runs `body` on so many threads at once, each with its number, and gives the nanoseconds from their common start to the
/// end of the last. Of one thread it is the calling one.
///
/// Several are kept on processors, one after the other: which of two that were just started waits for the other on the same one is
/// the scheduler's choice, and it may take a tick of 4 ms until it changes its mind.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Int64 {
    if count == 1 {
        let start = monotonicNanoseconds()
        body(0)
        return monotonicNanoseconds() - start
    }
    final class Work: Sendable {
        let number: Int
        let begin: Counter
        let body: @Sendable (Int) -> Void

        init(_ number: Int, _ begin: Counter, _ body: @escaping @Sendable (Int) -> Void) {
            (self.number, self.begin, self.body) = (number, begin, body)
        }
    }
    let ready = Counter()
    let begin = Counter()
    let threads: [pthread_t] = (0..<count).map { number in
        let work = Work(number, begin) { number in
            keepOnProcessor(number)
            ready.increment()
            while begin.value == 0 { sched_yield() }
            body(number)
        }
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
                work.body(work.number)
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        guard result == 0 else { stop("a thread could not be started") }
        return thread
    }
    while ready.value < count { sched_yield() }
    let start = monotonicNanoseconds()
    begin.increment()
    for thread in threads { pthread_join(thread, nil) }
    return monotonicNanoseconds() - start
}
