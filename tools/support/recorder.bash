# Measures what a record of the flight recorder costs. Sourced by tools/bench: uses `work`, `check` and `rounds`, and comparisons.bash.

# check_bounds: each of the bounds, what was measured, and whether it holds; fails where one does not.
check_bounds() {
    awk "$bounds"'
        END {
            if (!(("record-224", "jetsam") in figure)) { print "there is nothing of Jetsam to compare"; exit 1 }
            bound("a record of 40 bytes", figure["record-40", "jetsam"], 100, "<= 100 ns")
            bound("a record of 224 bytes", figure["record-224", "jetsam"], 100, "<= 100 ns")
            bound("two threads, time a record", figure["record-two-threads", "jetsam"], 100, "<= 100 ns")
            bound("eight threads, time a record", figure["record-eight-threads", "jetsam"], 100, "<= 100 ns")
            exit missed > 0
        }' "$work/medians"
}

compare_recorder() {
    local name
    step "recorder: building in release"
    swift build -c release --package-path Benchmarks --scratch-path .build-benchmarks --product Recorder
    binaries=$root/.build-benchmarks/release results=$work/results
    step "measuring; two threads that share nothing do $(parallel_limit) x of one here, load $(cut -d ' ' -f 1 /proc/loadavg)"
    for name in record-40 record-224 record-two-threads record-eight-threads; do
        measure Recorder "$name" "${rounds:-7}" jetsam copy
    done
    conclude
}
