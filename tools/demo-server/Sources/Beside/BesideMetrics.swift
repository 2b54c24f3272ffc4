internal import CoreMetrics
internal import Jetsam
internal import NIOCore

/// Names of NIO and swift-metrics mean what they mean there, in a file that imports Jetsam too. Built, and never run.
enum BesideMetrics {
    static func names(_ loop: any EventLoop, _ channel: any Channel) -> EventLoopFuture<ByteBuffer> {
        let counter = Counter(label: "x"), gauge = Gauge(label: "y"), timer = Timer(label: "z"),
            recorder = Recorder(label: "r")
        counter.increment(by: 1)
        gauge.record(2)
        timer.recordNanoseconds(3)
        recorder.record(4)
        let cache = PurgeableByteCache(name: "beside", registry: CacheRegistry())
        print(cache.statistics.entries, PressureLevel.normal, channel.isActive)
        return loop.makeSucceededFuture(ByteBufferAllocator().buffer(capacity: 1))
    }
}
