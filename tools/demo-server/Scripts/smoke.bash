# A short test of the server alone: every mode starts, answers each route and leaves in order. Sourced by tools/demo.

expect() {  # STATUS PATH PATTERN
    local got
    got=$(curl -s --max-time 5 -o "$work/answer" -w '%{http_code}' "$url$2")
    [[ $got == "$1" ]] || fail "mode $mode: $2 answered $got, not $1" "$work/answer"
    [[ -z $3 ]] || grep -aq -e "$3" "$work/answer" || fail "mode $mode: $2 lacks '$3'" "$work/answer"
}

# Waits until the server is ready: it listens a moment before it is.
await_ready() {
    local attempt
    for attempt in {1..100}; do
        ! curl -sf --max-time 5 -o /dev/null "$url/readyz" || return 0
        sleep 0.02
    done
    fail "mode $mode: not ready 2 s after it listened" "$work/server.log"
}

smoke_mode() {  # MODE
    mode=$1
    local arguments=(--mode "$mode" --keys 1000 --value-size 16KiB --events "$work/events") key
    local server_status=0
    local -A metric=()
    [[ $mode != fixed ]] || arguments+=(--budget 1MiB)
    start_server "$work/server.log" "${arguments[@]}"
    await_ready
    expect 200 / "mode $mode"
    expect 200 /healthz ok
    expect 200 /readyz ready
    for key in {0..99}; do expect 200 "/value/$key" ''; done
    (($(wc -c <"$work/answer") == 16384)) || fail "mode $mode: a value is not of 16 KiB"
    cp "$work/answer" "$work/before"
    expect 200 /value/99 ''
    cmp -s "$work/answer" "$work/before" || fail "mode $mode: the same key gave two values"
    expect 404 /value/1000 'no such key'
    expect 404 /value/x 'no such key'
    expect 404 /nowhere ''
    read_metrics || fail "mode $mode: /metrics does not answer"
    ((metric[demo_misses_total] == 100 && metric[demo_hits_total] == 1)) ||
        fail "mode $mode: 100 misses and 1 hit were made, ${metric[demo_misses_total]} and ${metric[demo_hits_total]} counted"
    ((metric[demo_footprint_bytes] > metric[demo_cache_bytes])) || fail "mode $mode: the footprint is less than the cache"
    case $mode in
        fixed) ((metric[demo_cache_bytes] <= 1048576 && metric[demo_cache_entries] == 63)) ||
            fail "mode fixed: ${metric[demo_cache_bytes]} bytes are kept of a budget of 1 MiB" ;;
        *) ((metric[demo_cache_entries] == 100)) || fail "mode $mode: ${metric[demo_cache_entries]} of 100 values are kept" ;;
    esac
    expect 200 /prefetch/99 ''
    cmp -s "$work/answer" "$work/before" || fail "mode $mode: /prefetch gave another value than /value"
    expect 404 /prefetch/x 'no such key'
    expect 202 /job/0 begun
    expect 200 /wait/1 'done'
    expect 404 /job/60001 milliseconds
    expect 404 /wait/x milliseconds
    if [[ $mode == jetsam ]]; then
        [[ ${metric[demo_pressure_level]:-} == [012] ]] || fail "mode jetsam: /metrics has no level"
        expect_manager_metrics
        ((metric[demo_ready] == 1 && metric[demo_process_state] == 2)) || fail "mode jetsam: the process is not active"
        expect_held_work
    fi
    smoke_stop
    say "mode $mode: works"
    [[ $mode != jetsam ]] || { smoke_pressure && smoke_config; }
}

# A configuration file is read, a change of it taken over at SIGHUP, and a bad one refused with its line, without harm.
smoke_config() {
    local server_status=0 status=0
    echo 'headroom: {warningPercent: x}' >"$work/jetsam.yaml"
    "$server" --mode jetsam --config "$work/jetsam.yaml" 2>"$work/answer" || status=$?
    ((status == 64)) || fail "--config: status $status with a bad file, not 64" "$work/answer"
    grep -q 'jetsam.yaml:1:28: error: ' "$work/answer" || fail "--config: a bad file is not told by its line" "$work/answer"
    echo 'headroom: {warningPercent: 25}' >"$work/jetsam.yaml"
    start_server "$work/server.log" --mode jetsam --keys 1000 --events "$work/events" --config "$work/jetsam.yaml"
    await_ready
    echo 'headroom: {warningPercent: 30}' >"$work/jetsam.yaml"
    # Found by itself: the first signal had better not come before there is a handler for it.
    await_line 'changed=headroom.warningPercent.* taken over'
    echo 'headroom: {warningPercent: 300}' >"$work/jetsam.yaml"
    kill -HUP "$server_pid"
    await_line 'jetsam.yaml:1:28: error: .* not taken over'
    expect 200 /readyz ready
    smoke_stop
    say "mode jetsam: a changed configuration is taken over, a bad one is not"
}

await_line() {  # PATTERN: of the log
    local attempt
    for attempt in {1..200}; do
        ! grep -q "$1" "$work/server.log" || return 0
        sleep 0.05
    done
    fail "--config: no '$1' in the log within 10 s" "$work/server.log"
}

smoke_stop() {
    stop_server
    ((server_status == 0)) || fail "mode $mode: status $server_status after SIGTERM, not 0" "$work/server.log"
    [[ $(tail -n 1 "$work/events") == *'"event":"stop"'* ]] || fail "mode $mode: the timeline has no end" "$work/events"
}

# Every metric that the manager documents is on the page, with its help, its kind and a number. Scenes have none here.
expect_manager_metrics() {
    local page=$work/metrics name kind count=0
    # The figures of a second are there when it has passed.
    curl -s --max-time 5 "$url/metrics" >"$page"
    awk '
        /^# HELP / { helped[$3] = NF > 3; next }
        /^# TYPE / { if (!helped[$3]) bad = bad " " $3 " (no help)"; kind[$3] = $4; next }
        NF != 2 || $2 !~ /^[-+0-9.e]+$/ { bad = bad " [" $0 "]"; next }
        {
            name = $1; sub(/\{.*/, "", name)
            base = name; if (!(base in kind)) sub(/_(bucket|sum|count)$/, "", base)
            if (!(base in kind)) bad = bad " " name " (no type)"
            else if ((kind[base] == "counter") != (name ~ /_total$/)) bad = bad " " name " (" kind[base] ")"
        }
        END { if (bad != "") { print bad; exit 1 } }' "$page" >"$work/answer" ||
        fail "mode jetsam: /metrics is not in Prometheus' text format" "$work/answer"
    while read -r name kind; do
        # No step of reclaim has come yet that would say what the allocator retains.
        [[ $name != jetsam_scenes && $name != jetsam_allocator_retained_bytes ]] || continue
        grep -q "^# TYPE $name " "$page" || fail "mode jetsam: /metrics lacks $name" "$page"
        count=$((count + 1))
    done < <(awk -F '[`|]' '/^\| `jetsam_/ { print $3 }' "$package/../../Sources/Jetsam/Documentation.docc/Observability.md")
    ((count > 20)) || fail "mode jetsam: only $count metrics are documented"
}

# Work that goes on after its request is held, and no obstacle to an end in order.
expect_held_work() {
    expect 202 /job/1000 begun
    read_metrics || fail "mode $mode: /metrics does not answer"
    ((metric[demo_background_tasks_held] == 1)) ||
        fail "mode $mode: ${metric[demo_background_tasks_held]} background tasks are held, and not the 1 that /job began"
}

# Under pretended pressure what is of low priority comes back later, at critical what is not of high priority, too; what
# asks for nothing is served as before.
smoke_pressure() {
    local level server_status=0
    local -A metric=()
    for level in warning critical; do
        start_server "$work/server.log" --mode jetsam --keys 1000 --events "$work/events" --simulate-pressure "$level"
        await_ready
        expect_later /prefetch/1
        if [[ $level == warning ]]; then expect 202 /job/0 begun; else expect_later /job/0 && expect_later /wait/0; fi
        expect 200 /value/1 ''
        (($(wc -c <"$work/answer") == 16384)) || fail "pressure $level: /value gave no value"
        expect 200 /readyz ready
        read_metrics || fail "pressure $level: /metrics does not answer"
        [[ ${metric[demo_pressure_level]} == $([[ $level == warning ]] && echo 1 || echo 2) ]] ||
            fail "pressure $level: /metrics says level ${metric[demo_pressure_level]}"
        smoke_stop
        say "mode jetsam, pressure $level: low priority is told to come later, the rest is served"
    done
}

expect_later() {  # PATH: 503, in how many seconds to try again, and why
    expect 503 "$1" "at pressure $level"
    curl -s --max-time 5 -o /dev/null -D "$work/headers" "$url$1" &&
        tr -d '\r' <"$work/headers" | grep -qix 'retry-after: [1-9][0-9]*' ||
        fail "pressure $level: $1 does not say when to try again"
}
