internal import ArgumentParser

/// The ways to take memory.
package enum Pattern: String, CaseIterable, ExpressibleByArgument {
    case ramp, spike, sawtooth, waves, leak, fragment, pagecache, redis, memcached

    package static let discussion = """
        PATTERNS. Each waits for --delay, then takes memory up to --limit bytes in all. Memory that is taken is written to, \
        page by page, without huge pages, so that each byte counts. A rate is kept by absolute deadlines in steps of a \
        millisecond, at most 1 MiB each: time lost in a stall is caught up afterwards. --duration ends every pattern early.
          ramp       takes --limit at --rate, holds it for --hold, ends.
          spike      waits (--delay, here 1 s unless given), takes --limit as fast as it goes, holds it for --hold, ends.
          sawtooth   takes --limit at --rate, holds it for --hold (here 0 unless given), gives all of it back at the same \
        rate, and starts again, until --duration (here 30 s unless given).
          waves      takes --limit at --rate, gives all of it back at the same rate, waits for --hold (here 1 s unless \
        given), and starts again, until --duration (here 30 s unless given).
          leak       takes memory at --rate (here 1 MB/s unless given) and never gives any back, until --duration (here \
        30 s unless given); once at --limit it keeps what it has.
          fragment   takes heap blocks of 16 to 4096 bytes at --rate; one step in four frees a block picked at random. At \
        --limit it frees nine blocks in ten, picked at random, as fast as it goes, holds the rest for --hold, ends. The same \
        --seed picks the same blocks.
          pagecache  writes a file of --limit bytes in --directory at --rate in pieces of 64 KiB, as a log is written, holds \
        for --hold, ends. With --reread it then maps the file and reads one byte of every page, over and over, until \
        --duration (here 30 s unless given). A file with more bytes than the group has left is read from the disk again and \
        again. From end to end that is a scan, for which more memory is of no use unless all of it fits; with --random-order \
        it is a working set, as of a database, for which each page helps. --anonymous bytes are taken first \
        and held beside it. The file has no name: nothing is left behind however the process ends.
          redis      starts a redis-server of its own in the same cgroup, which no other process can reach, fills it at \
        --rate with values of 16 KiB that count --limit together, holds for --hold, ends the server. Nothing is written to a \
        disk. The server's own memory comes on top. However the process ends, the server ends with it.
          memcached  does the same with a memcached.

        'jetsam-stress serve --help' lists what to type to disturb a server in each of these ways.
        """
}
