import MemoryPressure
import Testing

@testable import Jetsam
@testable import JetsamPolicy

struct EarlyLeaveTests {
    /// A process under 512 MiB, where critical begins at 51, with memory beside the caches that follows a course.
    private struct World {
        var early = EarlyLeave()
        var time = 0.0
        var leavingSeconds = 10.0
        var cacheBytes = 0
        /// Each second a step takes and gives back: for a tenth of it the process has so many MiB less than its cache says.
        var blinkMebibytes = 0
        var sharers = 1
        var isLimited = true
        var footprintShare = 1.0
        var asked: [Double] = []

        /// - Parameter used: MiB beside the caches.
        mutating func look(used: Double) {
            time += 0.05
            let isBlinking = Int((time * 20).rounded()) % 20 < 2
            let bytes = Int(used * Double(mebibyte)) - (isBlinking ? blinkMebibytes * mebibyte : 0)
            var reading = MemoryReading()
            reading.instant = .seconds(100 + time)
            reading.limitBytes = 512 * mebibyte
            reading.isLimited = isLimited
            reading.unreclaimableBytes = bytes + cacheBytes
            reading.footprintBytes = Int(Double(bytes) * footprintShare) + cacheBytes
            reading.headroomBytes = 512 * mebibyte - reading.unreclaimableBytes
            let began = early.look(
                EarlyLeave.Context(
                    now: reading.instant, leavingNanoseconds: Int64(leavingSeconds * 1e9),
                    roomBytes: reading.headroomBytes, expectedBytes: cacheBytes, retainedBytes: 0,
                    criticalEntry: 51 * mebibyte, limitBytes: reading.limitBytes,
                    unreclaimableBytes: reading.unreclaimableBytes, footprintBytes: reading.footprintBytes,
                    managedBytes: cacheBytes, leadTime: LeadTime(),
                    shortage: Shortage(reading, sharers: sharers),
                    isDisturbed: blinkMebibytes != 0 && isBlinking))
            if began { asked.append(time) }
        }

        /// Grows by so many MiB a second, for as long as that.
        mutating func grow(from used: Double, rate: Double, seconds: Double) {
            let start = time
            while time < start + seconds { look(used: used + rate * (time + 0.05 - start)) }
        }

        /// The process does not run for so many seconds.
        mutating func pause(seconds: Double) {
            time += seconds
            early.pause()
        }

        /// MiB of room and cache when the caches were asked first; nil where they were not.
        func roomWhenAsked(from used: Double, rate: Double) -> Double? { asked.first.map { 512 - used - rate * $0 } }
    }

    @Test(
        "Leaving begins when room and caches last no longer than it takes, and a quarter and a second more",
        arguments: [0, 60])
    func lead(cacheMebibytes: Int) throws {
        var world = World()
        world.cacheBytes = cacheMebibytes * mebibyte
        world.grow(from: 150, rate: 5, seconds: 60)
        let room = try #require(world.roomWhenAsked(from: 150, rate: 5))
        // 5 MiB/s for 1.25 x 10 s + 1 s, critical's entry, and the second for which it has to hold.
        #expect((112...119).contains(room))
        #expect(world.asked.count == 1)
    }

    @Test("Moments in which memory seems to come and go do not hide the growth", arguments: [30, -30])
    func blinks(mebibytes: Int) throws {
        var world = World()
        world.blinkMebibytes = mebibytes
        world.grow(from: 150, rate: 5, seconds: 60)
        let room = try #require(world.roomWhenAsked(from: 150, rate: 5))
        #expect((80...119).contains(room), "\(room)")
    }

    @Test("The longer leaving takes, the earlier")
    func longer() throws {
        var rooms: [Double] = []
        for seconds in [0.5, 5, 30] {
            var world = World()
            world.leavingSeconds = seconds
            world.grow(from: 100, rate: 5, seconds: 80)
            rooms.append(try #require(world.roomWhenAsked(from: 100, rate: 5)))
        }
        #expect(rooms[0] < 60 && (80...90).contains(rooms[1]) && (235...255).contains(rooms[2]))
    }

    @Test("A process that does not run for some seconds again and again leaves as early", arguments: [1.1, 2, 4])
    func pauses(seconds: Double) throws {
        var world = World()
        world.leavingSeconds = 30
        while world.time < 80 {
            world.grow(from: 100 + 5 * world.time, rate: 5, seconds: 3)
            world.pause(seconds: seconds)
        }
        let room = try #require(world.roomWhenAsked(from: 100, rate: 5))
        #expect((200...255).contains(room), "\(room)")
    }

    @Test("A pause is no part of the time for which it has to hold")
    func pauseInPatience() throws {
        var steady = World()
        steady.leavingSeconds = 30
        steady.grow(from: 100, rate: 5, seconds: 60)
        let asked = try #require(steady.asked.first)
        var world = World()
        world.leavingSeconds = 30
        world.grow(from: 100, rate: 5, seconds: asked - 1.5)
        world.pause(seconds: 3)
        world.grow(from: 100 + 5 * world.time, rate: 5, seconds: 0.5)
        #expect(world.asked.isEmpty)
        world.grow(from: 100 + 5 * world.time, rate: 5, seconds: 3)
        #expect(!world.asked.isEmpty)
    }

    @Test("After a long pause growth is measured anew")
    func longPause() {
        var world = World()
        world.leavingSeconds = 30
        world.grow(from: 100, rate: 5, seconds: 20)
        world.pause(seconds: 11)
        world.grow(from: 300, rate: 5, seconds: 9)
        #expect(world.asked.isEmpty)
        world.grow(from: 345, rate: 5, seconds: 6)
        #expect(!world.asked.isEmpty)
    }

    @Test("Growth that comes in batches is growth, if leaving takes long", arguments: [1.0, 2, 2.5])
    func batches(interval: Double) throws {
        var world = World()
        world.leavingSeconds = 30
        while world.time < 80 { world.look(used: 100 + 5 * interval * (world.time / interval).rounded(.down)) }
        let room = try #require(world.roomWhenAsked(from: 100, rate: 5))
        #expect((180...260).contains(room), "\(room)")
    }

    @Test("A jump is no growth, nor is what stops in time")
    func jump() {
        var world = World()
        world.grow(from: 150, rate: 0, seconds: 20)
        world.grow(from: 350, rate: 0, seconds: 20)
        world.grow(from: 350, rate: 5, seconds: 6)
        world.grow(from: 380, rate: 0, seconds: 20)
        #expect(world.asked.isEmpty)
    }

    @Test("A sawtooth's second ramp is no reason, as there was as much before; going beyond it is")
    func sawtooth() {
        var world = World()
        world.leavingSeconds = 20
        world.grow(from: 100, rate: 10, seconds: 12)
        world.asked = []
        world.early.wasAbandoned()
        for _ in 0..<5 {
            world.look(used: 100)
            world.grow(from: 100, rate: 10, seconds: 12)
        }
        #expect(world.asked.isEmpty)
        world.grow(from: 220, rate: 10, seconds: 12)
        #expect(!world.asked.isEmpty)
    }

    @Test("Nothing is foreseen while it is not known how long leaving takes, or without a cgroup's limit")
    func unknown() {
        var world = World()
        world.leavingSeconds = 0
        world.grow(from: 150, rate: 5, seconds: 60)
        #expect(world.asked.isEmpty)
        var machine = World()
        machine.isLimited = false
        machine.grow(from: 150, rate: 5, seconds: 60)
        #expect(machine.asked.isEmpty)
    }

    @Test("Of several processes those leave that are no smaller and grow no more slowly; alike ones not at once")
    func sharers() throws {
        var small = World()
        small.sharers = 2
        small.footprintShare = 0.3
        small.grow(from: 150, rate: 5, seconds: 60)
        #expect(small.asked.isEmpty)
        var alone = World()
        alone.grow(from: 150, rate: 5, seconds: 60)
        let first = try #require(alone.asked.first)
        for _ in 0..<2 {
            var alike = World()
            alike.sharers = 2
            alike.footprintShare = 0.5
            alike.grow(from: 150, rate: 5, seconds: 60)
            let asked = try #require(alike.asked.first)
            // A fifth of 13.5 s at most.
            #expect(asked >= first && asked <= first + 2.8)
        }
    }

    @Test("It is due when the caches have given and it is still missing; not while they are asked")
    func due() {
        var world = World()
        world.grow(from: 150, rate: 5, seconds: 52)
        #expect(world.early.isAsking)
        let now = MonotonicInstant.seconds(100 + world.time)
        var early = world.early
        early.demanded(step: 7)
        #expect(!early.isDue(nothingToAsk: false, at: world.asked.isEmpty ? now : .seconds(100 + world.asked[0])))
        early.stepEnded(6)
        #expect(!early.isDue(nothingToAsk: false, at: .seconds(100 + world.asked[0])))
        early.stepEnded(7)
        #expect(early.isDue(nothingToAsk: false, at: .seconds(100 + world.asked[0])))
        var nobody = world.early
        #expect(!nobody.isDue(nothingToAsk: true, at: .seconds(100 + world.asked[0])), "it is told first")
        #expect(nobody.isDue(nothingToAsk: true, at: .seconds(100 + world.asked[0] + 0.01)))
        nobody.wasAbandoned()
        #expect(!nobody.isDue(nothingToAsk: true, at: now))
    }
}
