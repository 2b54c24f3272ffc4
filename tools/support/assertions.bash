# Compares assertions with what others do in their place. Sourced by tools/bench: uses `work`, `json`, `check` and `rounds`.

ways=(jetsam dispatch-timer task-sleep nio-callback)

# measure CASE ROUNDS: each way in turn, so that what changes on the machine meanwhile meets them all.
measure() {
    local name=$1 times=$2 preload="" round way
    [[ $name != allocations-pair ]] || preload=$binaries/libAllocationCount.so
    for ((round = 1; round <= times; round++)); do
        for way in "${ways[@]}"; do
            LD_PRELOAD=$preload timeout 120 "$binaries/Assertions" "$name" "$way" >>"$results" ||
                fail "$name could not be measured for $way"
        done
        printf '[%4d s] %s: round %d of %d\n' "$SECONDS" "$name" "$round" "$times"
    done
}

# The figures' medians, one row a case and a way: CASE WHO VALUE UNIT LOWEST HIGHEST.
medians() {
    sort -s -k 1,2 -k 3,3g "$results" | awk '
        function flush(  middle) {
            if (!count) return
            middle = int((count + 1) / 2)
            print key, count % 2 ? value[middle] : (value[middle] + value[middle + 1]) / 2, unit, value[1], value[count]
        }
        $1 " " $2 != key { flush(); key = $1 " " $2; count = 0 }
        { value[++count] = $3; unit = $4 }
        END { flush() }'
}

# check_bounds: each of the bounds, what was measured, and whether it holds; fails where one does not.
check_bounds() {
    awk '
        { figure[$1, $2] = $3 }
        # Measured against a bound that it must not exceed, or, with `least`, not fall below.
        function bound(what, measured, limit, text, least) {
            ok = least ? measured >= limit : measured <= limit
            missed += !ok
            printf "%-58s %10s   %-10s %s\n", what, sprintf("%.4g", measured), text, ok ? "PASS" : "MISS"
        }
        function ratio(name, who,  other) { return figure[name, "jetsam"] / figure[name, who] }
        END {
            if (!(("pair-1000", "jetsam") in figure)) { print "there is nothing of Jetsam to compare"; exit 1 }
            bound("pair-1000, share of a DispatchSourceTimer", ratio("pair-1000", "dispatch-timer"), 1 / 7, "<= 1/7")
            bound("pair-1000, share of Task.sleep", ratio("pair-1000", "task-sleep"), 1 / 9, "<= 1/9")
            bound("pair-100k, share of scheduleCallback", ratio("pair-100k", "nio-callback"), 1 / 250, "<= 1/250")
            bound("two threads, pairs in the same time against one", \
                figure["pair-1000", "jetsam"] / figure["pair-two-threads", "jetsam"], 1.8, ">= 1.8", 1)
            # No worse, but for what a median of them differs from the next.
            bound("eight threads, time a pair against two", \
                figure["pair-eight-threads", "jetsam"] / figure["pair-two-threads", "jetsam"], 1.05, "<= 1.05")
            bound("allocations-pair, the closure included", figure["allocations-pair", "jetsam"], 1.001, "<= 1")
            bound("bytes-live-1M, the closure included", figure["bytes-live-1M", "jetsam"], 96, "<= 96 B")
            bound("kept-share-after-end", figure["kept-share-after-end", "jetsam"], 5, "<= 5 %")
            bound("due-at-once-100k", figure["due-at-once-100k", "jetsam"], 10, "<= 10 ms")
            bound("late-p99-sparse", figure["late-p99-sparse", "jetsam"], 1.5, "<= 1.5 ms")
            bound("cpu-sparse, share of a DispatchSourceTimer", ratio("cpu-sparse", "dispatch-timer"), 1 / 3, "<= 1/3")
            exit missed > 0
        }' "$work/medians"
}

# parallel_limit: how much more two threads do here that share nothing: what "two threads" can come to at most.
parallel_limit() {
    local attempt start middle process
    spin() { awk 'BEGIN { for (i = 0; i < 12000000; i++) x += i % 7 }'; }
    for attempt in 1 2 3; do
        start=$EPOCHREALTIME
        spin
        middle=$EPOCHREALTIME
        spin & process=$!
        spin
        wait "$process"
        awk "BEGIN { printf \"%.2f\n\", 2 * ($middle - $start) / ($EPOCHREALTIME - $middle) }"
    done | sort -g | tail -n 1
}

compare_assertions() {
    local name passed=0
    step "assertions: building in release"
    swift build -c release --package-path Benchmarks --scratch-path .build-benchmarks --product Assertions
    swift build -c release --package-path Benchmarks --scratch-path .build-benchmarks --product AllocationCount
    binaries=$root/.build-benchmarks/release results=$work/results

    step "measuring; two threads that share nothing do $(parallel_limit) x of one here, load $(cut -d ' ' -f 1 /proc/loadavg)"
    for name in pair-1000 pair-two-threads pair-eight-threads pair-100k; do measure "$name" "${rounds:-7}"; done
    measure allocations-pair 1
    for name in memory due-at-once-100k sparse; do measure "$name" "${rounds:-3}"; done

    medians >"$work/medians"
    step "medians, and in brackets the lowest and the highest"
    awk '
        !($1 in lines) { names[++count] = $1 }
        { lines[$1] = lines[$1] sprintf("  %-16s %12.4g %-12s (%.4g .. %.4g)\n", $2, $3, $4, $5, $6) }
        END { for (i = 1; i <= count; i++) printf "%s\n%s", names[i], lines[names[i]] }' "$work/medians"
    if [[ -n $json ]]; then
        awk '
            BEGIN { printf "{\"rows\":[" }
            { printf "%s\n  {\"case\":\"%s\",\"who\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"}", (NR > 1 ? "," : ""), $1, $2, $3, $4 }
            END { print "\n]}" }' "$work/medians" >"$json"
        echo "written to $json"
    fi
    step "against the bounds"
    check_bounds || passed=1
    [[ -n $check ]] || passed=0
    return "$passed"
}
