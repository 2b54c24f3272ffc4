# Compares the caches with what one would use without Jetsam, and their hit rates with those of published policies.
# Sourced by tools/bench: uses `work`, `check`, `rounds`, `traces` and `workloads`, and comparisons.bash.
source tools/support/traces.bash

ways=(jetsam jetsam-bytes nscache dictionary lru)
policies=(jetsam lru arc sieve s3-fifo optimum)

build_caches() {
    if ((${#traces[@]} + ${#workloads[@]} == 0)); then
        step "caches: building in release, with a clock in every lock"
        swift build -c release --package-path Benchmarks --scratch-path .build-lock-holds --product LockHolds \
            -Xcc -DJETSAM_MEASURES_LOCK_HOLDS
    fi
    step "caches: building in release"
    swift build -c release --package-path Benchmarks --scratch-path .build-benchmarks --product Caches
    binaries=$root/.build-benchmarks/release results=$work/results
}

# hit_rates KIND WHAT NAME: of a trace or a workload that is made up, a row a size and a policy, to `rates`.
hit_rates() {
    "$binaries/Caches" "$1" "$2" >"$work/rows" || fail "the hit rates of $3 could not be measured"
    awk -v name="${3//[[:space:]\"\\]/_}" '{ $1 = name "," substr($1, 9); print }' "$work/rows" >>"$work/rates"
    printf '[%4d s] %s\n' "$SECONDS" "$3"
}

# show_rates: a line for each trace and size, and how far Jetsam stays behind the best of the four policies.
show_rates() {
    step "hit rates in percent, where so many of the distinct keys fit"
    awk -v who="${policies[*]}" '
        !($1 in seen) { seen[$1]; names[++count] = $1 }
        { rate[$1, $2] = $3 }
        END {
            many = split(who, ways, " ")
            printf "%-30s", "trace, size"
            for (i = 1; i <= many; i++) printf " %9s", ways[i]
            print "    behind the best"
            for (n = 1; n <= count; n++) {
                printf "%-30s", names[n]
                best = 0
                for (i = 1; i <= many; i++) {
                    value = rate[names[n], ways[i]]
                    printf " %9.2f", value
                    if (ways[i] != "jetsam" && ways[i] != "optimum" && value > best) best = value
                }
                printf " %12.2f\n", best - rate[names[n], "jetsam"]
            }
        }' "$work/rates"
}

# check_rates: over all traces and sizes, the mean and the worst of how far Jetsam stays behind the best of the four policies. To be
# ahead of them in one place does not make up for another.
check_rates() {
    awk "$bounds"'
        !($1 in size) { size[$1]; count++ }
        $2 == "jetsam" { ours[$1] = $3; next }
        $2 != "optimum" && $3 > best[$1] { best[$1] = $3 }
        END {
            for (name in size) {
                behind = best[name] - ours[name]
                if (behind < 0) behind = 0
                sum += behind
                if (behind > worst) worst = behind
            }
            if (count < 9) { print "three traces are needed for the bounds; there are " count / 3; exit 1 }
            bound("hit rate, mean points behind the best policy", sum / count, 1, "<= 1")
            bound("hit rate, most points behind the best policy", worst, 3, "<= 3")
            exit missed > 0
        }' "$work/rates"
}

# check_bounds: each of the other bounds, what was measured, and whether it holds; fails where one does not.
check_bounds() {
    awk "$bounds"'
        function ahead(name) { return figure[name, "jetsam"] - figure[name, "lru"] }
        END {
            if (!(("hit-10k", "jetsam") in figure)) { print "there is nothing of Jetsam to compare"; exit 1 }
            bound("hit-10k, share of dictionary and lock", ratio("hit-10k", "dictionary"), 1.1, "<= 1.1")
            bound("hit-10k, share of NSCache", ratio("hit-10k", "nscache"), 0.1, "<= 1/10")
            bound("hit-1M, share of dictionary and lock", ratio("hit-1M", "dictionary"), 1.7, "<= 1.7")
            # Of what two threads with nothing in common do here: two processors may be one core.
            bound("two threads, hits on one cache against a cache each", \
                share("hit-two-apart", "jetsam", "hit-two-threads", "jetsam"), 0.85, ">= 0.85", 1)
            # No worse, but for what a median of them differs from the next.
            bound("eight threads, time a hit against two", \
                share("hit-eight-threads", "jetsam", "hit-two-threads", "jetsam"), 1.05, "<= 1.05")
            bound("bytes-entry", figure["bytes-entry", "jetsam"], 48, "<= 48 B")
            bound("bytes-entry, byte cache", figure["bytes-entry", "jetsam-bytes"], 16, "<= 16 B")
            bound("hit-10k, byte cache as a share of PurgeableCache", \
                share("hit-10k", "jetsam-bytes", "hit-10k", "jetsam"), 1.05, "<= 1")
            # Where one access to fresh memory takes longer than that, no insertion that needs it can be shorter.
            page = 1.25 * figure["insert-worst", "machine"]
            bound("longest insertion, or what the first access to memory takes", figure["insert-worst", "jetsam"], \
                page > 5 ? page : 5, sprintf("<= %.3g ms", page > 5 ? page : 5))
            bound("longest insertion, byte cache", figure["insert-worst", "jetsam-bytes"], 5, "<= 5 ms")
            bound("longest insertion, byte cache, 16 MiB segments", figure["insert-worst-16MiB", "jetsam-bytes"], 5, "<= 5 ms")
            bound("longest hold of a lock", figure["lock-worst", "jetsam"], 1, "<= 1 ms")
            bound("longest hold of a lock, byte cache", figure["lock-worst", "jetsam-bytes"], 1, "<= 1 ms")
            bound("longest hold of a lock, byte cache, 16 MiB segments", figure["lock-worst-16MiB", "jetsam-bytes"], 1, "<= 1 ms")
            bound("hitrate-zipf, points ahead of LRU", ahead("hitrate-zipf"), 3, ">= 3", 1)
            bound("hitrate-shift, points ahead of LRU", ahead("hitrate-shift"), 0, ">= 0", 1)
            bound("hitrate-scan, points ahead of LRU", ahead("hitrate-scan"), 10, ">= 10", 1)
            exit missed > 0
        }' "$results" "$work/medians"
}

# measure_hit_rates: of the traces and workloads that were named, or else of the published ones.
measure_hit_rates() {
    local trace workload
    : >"$work/rates"
    for trace in "${traces[@]}"; do hit_rates trace "$trace" "$(basename "$trace")"; done
    for workload in "${workloads[@]}"; do hit_rates generate "$workload" "$workload"; done
    show_rates
}

compare_caches() {
    local name passed=0
    build_caches
    : >"$work/medians"
    if ((${#traces[@]} + ${#workloads[@]} == 0)); then
        step "measuring; two threads that share nothing do $(parallel_limit) x of one here, load $(cut -d ' ' -f 1 /proc/loadavg)"
        measure Caches "hit-10k hit-two-threads hit-two-apart hit-eight-threads" "${rounds:-11}" "${ways[@]}"
        measure Caches hit-1M "${rounds:-9}" "${ways[@]}"
        measure Caches insert-worst "${rounds:-5}" machine jetsam jetsam-bytes
        measure Caches insert-worst-16MiB "${rounds:-5}" jetsam-bytes
        binaries=$root/.build-lock-holds/release
        measure LockHolds lock-worst "${rounds:-5}" jetsam jetsam-bytes
        measure LockHolds lock-worst-16MiB "${rounds:-5}" jetsam-bytes
        binaries=$root/.build-benchmarks/release
        measure Caches lookup-worst "${rounds:-5}" jetsam jetsam-bytes
        measure Caches lookup-worst-16MiB "${rounds:-5}" jetsam-bytes
        for name in bytes-entry hitrate-zipf hitrate-shift hitrate-scan; do measure Caches "$name" 1 "${ways[@]}"; done
        medians >"$work/medians"
        show_medians "$work/medians"
        fetch_traces
        traces=("${fetched[@]}")
    fi
    step "hit rates"
    measure_hit_rates
    cat "$work/medians" "$work/rates" >"$work/rows"
    write_rows "$work/rows"
    step "against the bounds"
    [[ ! -s $work/medians ]] || check_bounds || passed=1
    check_rates || passed=1
    [[ -n $check ]] || passed=0
    return "$passed"
}
