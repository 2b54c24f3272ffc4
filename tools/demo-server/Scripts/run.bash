# One run: a server in one mode, under the limit, with the load on it. Sourced by tools/demo.

server_pid="" keeper_pid="" load_pid="" peak_seen=0

# Starts the server, in the cgroup where there is one, and waits until it listens: sets server_pid and url.
start_server() {  # LOG ARGUMENT...
    local log=$1
    shift
    rm -f "$work/listening" "$work/pid" "$work/status"
    # A shell between this one and the server waits for it and keeps its status: this one would write "Killed" among
    # the results.
    (
        (
            [[ -z $cgroup_path ]] || echo "$BASHPID" >"$cgroup_path/cgroup.procs" || exit 70
            exec "$server" --host 127.0.0.1 --port 0 "$@"
        ) >"$work/listening" 2>"$log" &
        echo "$!" >"$work/pid.new" && mv "$work/pid.new" "$work/pid"
        wait "$!"
        echo "$?" >"$work/status"
    ) 2>/dev/null &
    keeper_pid=$!
    until [[ -s $work/pid ]]; do sleep 0.01; done
    server_pid=$(<"$work/pid")
    local attempt
    for attempt in {1..200}; do
        url=$(sed -n 's/^listening on //p' "$work/listening" 2>/dev/null)
        [[ -z $url ]] || return 0
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.05
    done
    fail "the server did not start (mode $mode)" "$log"
}

# Ends the server in order; sets server_status to how it ended.
stop_server() {
    local attempt
    kill -TERM "$server_pid" 2>/dev/null
    for attempt in {1..200}; do
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.05
    done
    if kill -0 "$server_pid" 2>/dev/null; then
        warn "the server did not leave within 10 s of SIGTERM: it is killed"
        kill -KILL "$server_pid"
    fi
    wait "$keeper_pid"
    server_status=$(<"$work/status")
    server_pid="" keeper_pid=""
}

stop_load() {
    [[ -n $load_pid ]] || return 0
    kill -TERM "$load_pid" 2>/dev/null
    wait "$load_pid" 2>/dev/null
    load_pid=""
}

# Reads /metrics into the associative array `metric`; fails where the server does not answer.
read_metrics() {
    local name value page
    page=$(curl -sf --max-time 5 "$url/metrics") || return 1
    while read -r name value; do metric[$name]=$value; done < <(grep '^demo_' <<<"$page")
}

calculate() { awk "BEGIN { printf \"$1\", $2 }"; }
mib() { calculate %.0f "$1 / 1048576"; }

# Prints what has been added to the timeline since the last call: level changes and steps of reclaim, and why.
show_timeline() {
    local lines line
    mapfile -t lines <"$1"
    for line in "${lines[@]:events_shown}"; do
        [[ $line =~ ^\{\"seconds\":([0-9.]+),.*\"text\":\"(.*)\"\}$ ]] || continue
        say "$(printf '%6.1f s  %s' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]//\\\"/\"}")"
    done
    events_shown=${#lines[@]}
}

# Without a cgroup nobody kills the server that takes too much: this is done here, at the same number of bytes.
stop_beyond_budget() {
    local used
    used=$(awk '/^(RssAnon|RssShmem|VmSwap):/ {sum += $2} END {print sum * 1024}' "/proc/$server_pid/status" 2>/dev/null)
    ((${used:-0} > peak_seen)) && peak_seen=$used
    [[ $mode == unbounded ]] && ((peak_seen > limit)) || return 1
    kill -KILL "$server_pid" 2>/dev/null
    stopped_by_hand=1
}

# The configuration of a run that has one, and the arguments for it.
configuration_arguments() {
    [[ $mode == jetsam && -n $config$trace ]] || return 0
    {
        [[ -z $config ]] || cat "$config"
        # With dots: the file may have this section.
        [[ -z $trace ]] || echo "recorder.traceFile: $trace"
    } >"$work/jetsam.yaml"
    arguments+=(--config "$work/jetsam.yaml")
}

run_mode() {  # MODE
    mode=$1
    local arguments=(--mode "$mode" --keys "$keys" --value-size "$value_size" --events "$work/events")
    local -A metric=() first=()
    local events_shown=0 stopped_by_hand=0 server_status=0 outcome
    local hit_rate=null efficiency=null peak half=$((seconds / 2)) second=0 ticks=0 last=$seconds
    peak_seen=0
    # It ends by itself, sooner or later by how busy the machine is: a run that was merely too short shows nothing.
    [[ $mode != unbounded ]] || last=$((seconds > 120 ? seconds : 120))
    [[ $mode == fixed ]] && arguments+=(--budget "$budget")
    [[ -z $cgroup_version ]] || cgroup_make "$limit" || fail "the cgroup could not be made"
    configuration_arguments
    [[ $mode != jetsam || -n $cgroup_version ]] || arguments+=(--footprint-budget "$limit")
    start_server "$work/server.log" "${arguments[@]}"
    wrk -t 2 -c "$connections" -d "$((last + 30))s" --timeout 10s -s "$package/Scripts/zipf.lua" \
        "$url" -- "$keys" "$exponent" "$run_number" >"$work/load.log" 2>&1 &
    load_pid=$!

    local started=$EPOCHREALTIME previous=0 answered cpu
    while kill -0 "$server_pid" 2>/dev/null && ((second < last)); do
        sleep 0.25
        if [[ -z $cgroup_version ]]; then
            stop_beyond_budget && break
        elif [[ ! -e $cgroup_path/memory.peak ]]; then
            local used
            used=$(cgroup_usage) && ((used > peak_seen)) && peak_seen=$used
        fi
        ticks=$(calculate %d "$EPOCHREALTIME - $started")
        ((ticks > second)) || continue
        second=$ticks
        kill -0 "$load_pid" 2>/dev/null || fail "wrk has ended early" "$work/load.log"
        show_timeline "$work/events"
        read_metrics || continue
        if ((second >= half && ${#first[@]} == 0)); then
            local name
            for name in "${!metric[@]}"; do first[$name]=${metric[$name]}; done
        fi
        answered=$((metric[demo_hits_total] + metric[demo_misses_total]))
        if ((second % 5 == 0)); then
            say "$(printf '%6d s  %d requests answered, cache %d MiB, process %d MiB' "$second" "$answered" \
                "$(mib "${metric[demo_cache_bytes]}")" "$(mib "${metric[demo_footprint_bytes]:-0}")")"
        fi
    done
    # What is left of the run is the same for one that lives and one that was killed.
    if kill -0 "$server_pid" 2>/dev/null && ((!stopped_by_hand)) && ((${#first[@]} > 0)); then
        answered=$((metric[demo_hits_total] + metric[demo_misses_total] - first[demo_hits_total] \
            - first[demo_misses_total]))
        cpu=$(calculate %.6f "${metric[demo_cpu_seconds_total]} - ${first[demo_cpu_seconds_total]}")
        ((answered > 0)) || fail "the server has answered nothing in the second half of the run" "$work/load.log"
        hit_rate=$(calculate %.4f "(${metric[demo_hits_total]} - ${first[demo_hits_total]}) / $answered")
        efficiency=$(calculate %.0f "$answered / $cpu")
    fi
    # The load goes on until the server was told to leave: what comes then is not measured any more.
    stop_load
    stop_server
    show_timeline "$work/events"

    if ((stopped_by_hand)); then
        outcome=oom-killed
        say "         stopped here beyond $(mib "$limit") MiB: in a container of that size it would have been killed"
    elif [[ -n $cgroup_version ]] && (($(cgroup_oom_kills) > 0)); then
        outcome=oom-killed
        say "$(printf '%6.1f s  killed by the kernel: out of memory' "$(calculate %.1f "$EPOCHREALTIME - $started")")"
    elif ((server_status == 0)); then
        outcome=survived
    else
        fail "the server ended with status $server_status, which is neither" "$work/server.log"
    fi
    [[ $outcome == survived ]] || hit_rate=null efficiency=null
    ! grep -q 'Non-2xx' "$work/load.log" || fail "some requests were refused" "$work/load.log"
    if [[ -n $cgroup_version ]]; then peak=$(cgroup_peak); else peak=$peak_seen; fi
    cgroup_remove
    results+=("$mode $outcome $hit_rate $efficiency $peak ${metric[demo_reclaimed_bytes_total]:-0} \
${metric[demo_level_changes_total]:-0}")
}
