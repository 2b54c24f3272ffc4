# Compares what comes back of memory that is given up. Sourced by tools/bench: uses `work`, `check` and `rounds`, and comparisons.bash.

# measure_ways CASE ROUNDS WAY...: in turn; jemalloc is preloaded where it is the allocator that is measured.
measure_ways() {
    local name=$1 times=$2 round way preload
    shift 2
    for ((round = 1; round <= times; round++)); do
        for way; do
            preload=
            [[ $way != jetsam && $way != jemalloc ]] || preload=$jemalloc
            measure Reclaim "$name" 1 "$way" >/dev/null
        done
        printf '[%4d s] %s: round %d of %d\n' "$SECONDS" "$name" "$round" "$times"
    done
}

# check_bounds: each of the bounds, what was measured, and whether it holds; fails where one does not.
check_bounds() {
    awk "$bounds"'
        END {
            if (!(("release-rate", "jetsam-bytes") in figure)) { print "there is nothing of Jetsam to compare"; exit 1 }
            bound("resident-over-live-small, byte cache", figure["resident-over-live-small", "jetsam-bytes"], 1.2, "<= 1.2 x")
            bound("resident-over-live-large, byte cache", figure["resident-over-live-large", "jetsam-bytes"], 1.2, "<= 1.2 x")
            bound("release-rate, byte cache as a share of madvise", \
                share("release-rate", "jetsam-bytes", "release-rate", "madvise"), 0.8, ">= 0.8", 1)
            bound("promised-over-returned, byte cache", figure["promised-over-returned", "jetsam-bytes"], 1.1, "<= 1.1 x")
            bound("promised-over-returned, byte cache", figure["promised-over-returned", "jetsam-bytes"], 0.9, ">= 0.9 x", 1)
            bound("give-back-900MiB, byte cache", figure["give-back-900MiB", "jetsam-bytes"], 150, "<= 150 ms")
            bound("give-back-900MiB, values with jemalloc, share of by hand", ratio("give-back-900MiB", "jemalloc"), 1.25, "<= 1.25 x")
            bound("foreign-stall-p999, byte cache", figure["foreign-stall-p999", "jetsam-bytes"], 1, "<= 1 ms")
            bound("foreign-stall-p999, values with jemalloc", figure["foreign-stall-p999", "jetsam"], 1, "<= 1 ms")
            exit missed > 0
        }' "$results" "$work/medians"
}

compare_reclaim() {
    local name jemalloc
    jemalloc=$(library_path libjemalloc.so.2)
    [[ -n $jemalloc ]] || fail "libjemalloc.so.2 is not installed (libjemalloc2)"
    step "reclaim: building in release"
    swift build -c release --package-path Benchmarks --scratch-path .build-benchmarks --product Reclaim
    binaries=$root/.build-benchmarks/release results=$work/results

    step "measuring, load $(cut -d ' ' -f 1 /proc/loadavg)"
    for name in resident-over-live-small resident-over-live-large; do
        measure_ways "$name" 1 jetsam-bytes jetsam glibc jemalloc
    done
    for name in release-rate give-back-900MiB; do
        measure_ways "$name" "${rounds:-5}" jetsam-bytes jetsam glibc jemalloc madvise
    done
    measure_ways promised-over-returned 1 jetsam-bytes jetsam glibc jemalloc
    measure_ways foreign-stall-p999 "${rounds:-3}" jetsam-bytes jetsam glibc jemalloc madvise

    conclude
}
