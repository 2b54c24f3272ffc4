# Compares background tasks with what others do in their place. Sourced by tools/bench: uses `work`, `check` and `rounds`, and comparisons.bash.

ways=(jetsam dispatch-timer task-sleep nio-callback)

# check_bounds: each of the bounds, what was measured, and whether it holds; fails where one does not.
check_bounds() {
    awk "$bounds"'
        END {
            if (!(("pair-1000", "jetsam") in figure)) { print "there is nothing of Jetsam to compare"; exit 1 }
            bound("pair-1000, share of a DispatchSourceTimer", ratio("pair-1000", "dispatch-timer"), 1 / 7, "<= 1/7")
            bound("pair-1000, share of Task.sleep", ratio("pair-1000", "task-sleep"), 1 / 9, "<= 1/9")
            bound("pair-100k, share of scheduleCallback", ratio("pair-100k", "nio-callback"), 1 / 80, "<= 1/80")
            # What it takes more than with few tasks is memory that no cache of the processor has: three loads of it.
            bound("pair-100k, share of pair-1000 and three of load-12MiB", figure["pair-100k", "jetsam"] \
                / (figure["pair-1000", "jetsam"] + 3 * figure["load-12MiB", "machine"]), 1, "<= 1")
            # Of what two threads with nothing in common do here: two processors may be one core.
            bound("two threads, pairs in one table against a table each", \
                share("pair-two-apart", "jetsam", "pair-two-threads", "jetsam"), 0.9, ">= 0.9", 1)
            # No worse, but for what a median of them differs from the next.
            bound("eight threads, time a pair against two", \
                share("pair-eight-threads", "jetsam", "pair-two-threads", "jetsam"), 1.05, "<= 1.05")
            bound("allocations-pair, the closure included", figure["allocations-pair", "jetsam"], 1.001, "<= 1")
            bound("bytes-live-1M, the closure included", figure["bytes-live-1M", "jetsam"], 96, "<= 96 B")
            bound("kept-share-after-end", figure["kept-share-after-end", "jetsam"], 5, "<= 5 %")
            bound("due-at-once-100k", figure["due-at-once-100k", "jetsam"], 10, "<= 10 ms")
            bound("late-p99-sparse", figure["late-p99-sparse", "jetsam"], 1.5, "<= 1.5 ms")
            bound("cpu-sparse, share of a DispatchSourceTimer", ratio("cpu-sparse", "dispatch-timer"), 1 / 3, "<= 1/3")
            exit missed > 0
        }' "$results" "$work/medians"
}

compare_tasks() {
    local name
    step "tasks: building in release"
    swift build -c release --package-path Benchmarks --scratch-path .build-benchmarks --product Assertions
    swift build -c release --package-path Benchmarks --scratch-path .build-benchmarks --product AllocationCount
    binaries=$root/.build-benchmarks/release results=$work/results

    step "measuring; two threads that share nothing do $(parallel_limit) x of one here, load $(cut -d ' ' -f 1 /proc/loadavg)"
    measure Assertions "pair-1000 pair-two-threads pair-two-apart pair-eight-threads" "${rounds:-7}" "${ways[@]}"
    measure Assertions load-12MiB 3 machine
    measure Assertions pair-100k "${rounds:-7}" "${ways[@]}"
    measure Assertions load-12MiB 3 machine
    preload=$binaries/libAllocationCount.so measure Assertions allocations-pair 1 "${ways[@]}"
    for name in memory due-at-once-100k sparse; do measure Assertions "$name" "${rounds:-3}" "${ways[@]}"; done

    conclude
}
